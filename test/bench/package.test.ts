/** The contents of the package after the last build. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import * as z from 'zod/mini';
import { runNpm } from '../../scripts/processes.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const packed = z.tuple([z.object({ files: z.array(z.object({ path: z.string() })) })]);

test('every program is in the package', async () => {
  const [{ files }] = packed.parse(JSON.parse(await runNpm(['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root })));
  const programs = files.map((file) => file.path).filter((file) => /^dist\/[^/]+\.c?js$/.test(file));
  assert.deepEqual(programs.sort(), [
    'dist/cli.js',
    'dist/demo-agent.js',
    'dist/extension.cjs',
    'dist/host.cjs',
    'dist/index.js',
    'dist/watchdog.cjs',
  ]);
});

test('the watchdog needs nothing but itself, and ends when its host has nothing for it', { timeout: 30_000 }, async (t) => {
  const watchdog = spawn(process.execPath, [path.join(root, 'dist/watchdog.cjs')], {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ELECTRON_RUN_AS_NODE: '1' },
  });
  t.after(() => watchdog.kill('SIGKILL'));
  watchdog.stdin.end();
  assert.deepEqual(await once(watchdog, 'exit'), [0, null]);
});
