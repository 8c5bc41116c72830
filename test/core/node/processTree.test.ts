import assert from 'node:assert/strict';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { identifyProcess, listTree, parseProcStat, parsePs, signalAll, stillRunning } from '../../../src/core/node/processTree.js';
import { type ChildProcess, spawnProcess } from '../../../src/core/node/spawnProcess.js';

const posix = { timeout: 20_000, skip: process.platform === 'win32' ? 'Windows ends trees with taskkill' : false };

function start(script: string): Promise<ChildProcess> {
  return spawnProcess({ file: process.execPath, args: ['-e', script], cwd: tmpdir(), env: process.env, ownGroup: true });
}

test('the tree of a process includes its grandchildren', posix, async (t) => {
  const child = await start(`
    const { spawn } = require('node:child_process');
    const grandchild = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e9)'], { detached: true, stdio: 'ignore' });
    process.stdout.write(String(grandchild.pid));
    setInterval(() => {}, 1e9);
  `);
  t.after(() => child.kill('SIGKILL'));
  const [printed] = (await once(child.stdout, 'data')) as [Buffer];
  const grandchild = Number(printed.toString());
  const root = await identifyProcess(child.pid ?? -1);
  assert.ok(root);
  const tree = await listTree(root);
  assert.deepEqual(tree.map(({ pid }) => pid).sort(), [child.pid, grandchild].sort());
  await signalAll(tree, 'SIGKILL');
  await once(child, 'exit');
  while ((await stillRunning(tree)).length > 0) await new Promise((resolve) => setImmediate(resolve));
});

test('a process ID that now belongs to another process is left alone', posix, async (t) => {
  const child = await start('setInterval(() => {}, 1e9)');
  t.after(() => child.kill('SIGKILL'));
  const earlier = { pid: child.pid ?? -1, startedAt: 'long ago' };
  assert.deepEqual(await listTree(earlier), []);
  assert.deepEqual(await signalAll([earlier], 'SIGKILL'), []);
  assert.equal((await stillRunning([earlier])).length, 0);
  assert.equal(child.exitCode ?? child.signalCode, null);
});

test('/proc/<pid>/stat is parsed if the name contains parentheses, and a zombie is skipped', () => {
  const rest = 'S 12 34 34 0 -1 4194304 1 0 0 0 1 2 0 0 20 0 1 0 987654 1000 10 18446744073709551615';
  assert.deepEqual(parseProcStat(`77 (a) R 1 2) ${rest}`), { pid: 77, parentPid: 12, groupPid: 34, startedAt: '987654' });
  assert.equal(parseProcStat(`77 (gone) Z${rest.slice(1)}`), undefined);
});

test('the output of ps is parsed, and a zombie is skipped', () => {
  const text =
    '    1     0     1 Ss   Mon Nov 16 08:00:01 2026\n  501     1   501 Z    Mon Nov 16 08:00:02 2026\n 1234   501   501 S+   Tue Nov 17 09:10:11 2026    \n';
  assert.deepEqual(parsePs(text), [
    { pid: 1, parentPid: 0, groupPid: 1, startedAt: 'Mon Nov 16 08:00:01 2026' },
    { pid: 1234, parentPid: 501, groupPid: 501, startedAt: 'Tue Nov 17 09:10:11 2026' },
  ]);
});
