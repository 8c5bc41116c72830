/**
 * An engine as a separate program: `engineProgram.ts STATE VERSION LINK_VERSION`. It has no conversations, only a number of turns that a
 * front end sets.
 */
import { toHostError } from '../../../src/core/base/errors.js';
import { reportStart } from '../../../src/core/link/launchEngine.js';
import { listenAsEngine } from '../../../src/core/link/listen.js';

const [stateFolder = '', version = '', linkVersion = '1'] = process.argv.slice(2);
let turns = 0;
const leave = (): void => {
  if (typeof listening !== 'string') listening.dispose();
  process.exit(0);
};
const listening = await listenAsEngine({
  stateFolder,
  version,
  linkVersion: Number(linkVersion),
  isBusy: () => turns,
  onConnection: (wire, hello) =>
    wire.serve(async (method, params) => {
      switch (method) {
        case 'set_turns':
          turns = Number(params);
          return undefined;
        case 'hello':
          return hello;
        default:
          return { pid: process.pid, version };
      }
    }),
  onDisplaced: leave,
  onEndRequested: leave,
}).catch(async (error: unknown) => {
  await reportStart(toHostError(error));
  return process.exit(1);
});
await reportStart(listening === 'lost' ? 'lost' : 'ready');
