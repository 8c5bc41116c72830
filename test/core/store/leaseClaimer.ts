/** Claims a conversation on a disk that is slow to replace files, and reports whether it got it. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const slowMs = 500;
const { renameSync } = fs;
fs.renameSync = (from, to) => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, slowMs);
  renameSync(from, to);
};
syncBuiltinESMExports();
const { nullLogger } = await import('../../../src/core/index.js');
const { Leases } = await import('../../../src/core/store/leases.js');
const { defaultLeaseTiming } = await import('../../../src/core/store/leaseTiming.js');

const [directory = '', id = ''] = process.argv.slice(2);
const alive = setInterval(() => {}, 60_000);
const abort = new AbortController();
const leases = new Leases({ directory, program: 'terminal', timing: { ...defaultLeaseTiming, letGoMs: 60_000 }, log: nullLogger });
await leases.start();
// It has given its first sign of life, so that only claiming the conversation takes time from now on.
await leases.claim(`of ${process.pid}`, { stopsTurn: false, signal: abort.signal });
process.on('message', (message: 'claim' | 'end') => {
  if (message === 'end') {
    abort.abort();
    clearInterval(alive);
    return process.disconnect();
  }
  void leases.claim(id, { stopsTurn: false, signal: abort.signal }).then(
    () => process.send?.('taken'),
    () => {},
  );
});
process.send?.('ready');
