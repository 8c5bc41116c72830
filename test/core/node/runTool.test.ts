import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { toHostError } from '../../../src/core/base/errors.js';
import { goneWithin, identifyProcess, stillRunning } from '../../../src/core/node/processTree.js';
import { runTool } from '../../../src/core/node/runTool.js';

const node = { file: process.execPath, args: ['-e'] };
const run = (script: string, o: { readonly signal?: AbortSignal; readonly onLine?: (line: string) => void } = {}) =>
  runTool({ launch: node, args: [script], cwd: tmpdir(), env: process.env, signal: new AbortController().signal, ...o });

test('a program runs to its end, with an empty stdin and its last lines', async () => {
  const script = `process.stdin.on('end', () => { for (let i = 0; i < 100; i++) console.log('line ' + i); process.exitCode = 7; }).resume()`;
  const lines: string[] = [];
  const { exitCode, lastLines } = await run(script, { onLine: (line) => lines.push(line) });
  assert.deepEqual([exitCode, lines.length, lastLines.length, lastLines.at(-1)], [7, 100, 30, 'line 99']);
});

test('when it is canceled, it ends with what it started, in whatever session', async () => {
  const child = 'setInterval(() => {}, 1000)';
  const script = `
    process.on('SIGTERM', () => {});
    const { spawn } = require('node:child_process');
    const pids = [false, true].map((detached) => spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { detached }).pid);
    console.log([process.pid, ...pids].join(' '));
    setInterval(() => {}, 1000);
  `;
  const cancel = new AbortController();
  let pids: readonly number[] = [];
  const onLine = (line: string): void => {
    pids = line.split(' ').map(Number);
    cancel.abort();
  };
  const outcome = await run(script, { signal: cancel.signal, onLine }).catch((error: unknown) => toHostError(error).code);
  assert.equal(outcome, 'cancelled');
  assert.equal(pids.length, 3);
  assert.deepEqual(await Promise.all(pids.map(identifyProcess)), [undefined, undefined, undefined]);
});

test('nothing starts if it was canceled before', async () => {
  assert.equal(await run('', { signal: AbortSignal.abort() }).catch((error: unknown) => toHostError(error).code), 'cancelled');
});

test('it does not outlive this process', { skip: process.platform === 'win32' && 'there are no groups of processes' }, async () => {
  const tool = `
    const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    console.log(process.pid + ' ' + child.pid);
    setInterval(() => {}, 1000);
  `;
  const script = `
    import { runTool } from ${JSON.stringify(new URL('../../../src/core/node/runTool.ts', import.meta.url).href)};
    const onLine = (line) => {
      process.stdout.write(line);
      process.exit();
    };
    const launch = { file: process.execPath, args: ['-e'] };
    const { signal } = new AbortController();
    await runTool({ launch, args: [${JSON.stringify(tool)}], cwd: '/', env: process.env, signal, onLine });
  `;
  const owner = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const printed = await text(owner.stdout);
  assert.match(printed, /^\d+ \d+$/);
  const left = (await Promise.all(printed.split(' ').map((pid) => identifyProcess(Number(pid))))).filter((one) => one !== undefined);
  await goneWithin(left, 10_000);
  assert.deepEqual(await stillRunning(left), []);
});
