/** Commands that only work on the screen of an agent of the Pi family, and would be text for the model in RPC mode. The peer is a stand-in. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { connectPi, connectXcsh } from '../../src/core/backends/pi/piBackend.js';
import { screenCommands } from '../../src/core/backends/pi/piVerbs.js';
import { errorMessage } from '../../src/text/errorText.js';
import { within } from '../real/deadline.js';
import { piDialects, piStandIn } from './piPeers.js';
import { connectSeam, rejects } from './seam.js';

const sessions = mkdtempSync(path.join(tmpdir(), 'acp-host-pi-sessions-'));
after(() => rmSync(sessions, { recursive: true, force: true }));

for (const dialect of piDialects)
  test(`${dialect}: a command of the agent's own screen is refused with an alternative, and not sent`, async (t) => {
    const connect = dialect === 'xcsh' ? connectXcsh : connectPi;
    const seam = await connectSeam(t, connect, { agent: piStandIn(dialect, sessions) });
    const { prompt } = await seam.open();
    for (const name of screenCommands)
      for (const text of [`/${name}`, `/${name} more`, `/${name}\nmore`]) {
        const { params } = await rejects(prompt(text), 'unsupported');
        assert.equal(params['reason'], 'screen_command', text);
        assert.match(errorMessage({ code: 'unsupported', params }, 'Pi'), new RegExp(`^/${name} works only on Pi's own screen\\. [A-Z].+`));
      }
    const isPrompted = (): boolean =>
      seam.traffic.all.some((entry) => entry.kind === 'message' && JSON.stringify(entry.message).includes('"type":"prompt"'));
    assert.ok(!isPrompted());
    // A path is not a command.
    await within(prompt('/model/other'), 'end');
    assert.ok(isPrompted());
  });
