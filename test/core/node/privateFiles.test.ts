import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import { typescriptProgram } from '../../typescriptProgram.js';
import type { LockReport } from './lockUser.js';

it('of four processes that break the locks of dead ones, one at a time has the lock', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'acp-host-lock-'));
  const [script = '', ...args] = typescriptProgram(path.join(import.meta.dirname, 'lockUser.ts')).toReversed();
  const users = Array.from({ length: 4 }, () => fork(script, { execArgv: args.toReversed() }));
  t.after(async () => {
    const exits = users.map((user) => once(user, 'exit'));
    for (const user of users) user.kill('SIGKILL');
    await Promise.all(exits);
    await rm(folder, { recursive: true });
  });
  const reports = users.map(async (user) => {
    user.send({ lock: path.join(folder, 'lock'), uses: 100 });
    const [report] = (await once(user, 'message')) as [LockReport];
    return report;
  });
  for (const report of await Promise.all(reports)) assert.deepEqual(report, { uses: 100 });
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name !== 'lock'),
    [],
    'nothing but the lock of the last dead process is left',
  );
});
