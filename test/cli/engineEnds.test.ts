/** The engine ends while a command looks at it, as it does a moment after the last front end has left. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkVersion } from '../../src/core/engine/contract.js';
import { listenAsEngine } from '../../src/core/link/listen.js';
import { packageVersion } from '../../src/cli/system/ownPackage.js';
import { makePlace, runCli } from './cliProcess.js';

const calls: Readonly<Record<string, readonly string[]>> = {
  engine: ['attach', 'summary'],
  'engine stop': ['attach', 'summary'],
  status: ['attach', 'summary'],
  'stop --all': ['attach', 'leave'],
};

for (const [command, ends] of Object.entries(calls)) {
  for (const call of ends) {
    test(`${command}: an engine that is gone when it gets “${call}”`, async (t) => {
      const place = await makePlace();
      t.after(() => place.remove());
      const listening = await listenAsEngine({
        stateFolder: place.env['ACP_HOST_STATE'] ?? '',
        version: packageVersion(),
        linkVersion,
        isBusy: () => 0,
        onConnection(wire) {
          wire.serve(async (method) => {
            if (method !== call) return {};
            if (listening !== 'lost') listening.dispose();
            wire.dispose();
          });
        },
        onDisplaced: () => {},
        onEndRequested: () => {},
      });
      assert.notEqual(listening, 'lost');
      t.after(() => listening !== 'lost' && listening.dispose());
      assert.deepEqual(await runCli(place, command.split(' ')), { code: 0, stdout: 'Nothing runs.\n', stderr: '' });
    });
  }
}
