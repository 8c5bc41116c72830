/** An agent of the Pi family that is started as the other one of it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { connectPi, connectXcsh } from '../../src/core/backends/pi/piBackend.js';
import { adviceFor, toCliError } from '../../src/cli/output/errorText.js';
import { describeError } from '../../src/text/errorText.js';
import { piDialects, piStandIn } from './piPeers.js';
import { connectSeam, longDeadlines, rejects } from './seam.js';

const sessions = mkdtempSync(path.join(tmpdir(), 'acp-host-pi-sessions-'));
after(() => rmSync(sessions, { recursive: true, force: true }));

for (const dialect of piDialects) {
  const [found, protocol] = dialect === 'xcsh' ? (['xcsh', 'pi'] as const) : (['pi', 'xcsh'] as const);
  test(`${dialect} as ${protocol}: it does not start, and what to choose is said`, async (t) => {
    // A Pi never says `ready`, which is waited for half of this time.
    const deadlines = { ...longDeadlines, initializeMs: protocol === 'xcsh' ? 6_000 : longDeadlines.initializeMs };
    const connect = protocol === 'xcsh' ? connectXcsh : connectPi;
    const error = await rejects(connectSeam(t, connect, { agent: piStandIn(dialect, sessions), deadlines }), 'handshake_failed');
    assert.deepEqual(error.params, { reason: 'other_protocol', protocol, found });
    const cause = `Mine speaks the protocol "${found}", not "${protocol}". Choose the protocol "${found}" for it.`;
    assert.equal(describeError(error.toData(), { agent: 'Mine' }).text, cause);
    assert.deepEqual(adviceFor(toCliError(error.toData(), 'Mine')), [`Use --protocol ${found}.`]);
  });
}
