import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { toHostError } from '../../../src/core/base/errors.js';
import { identifyProcess } from '../../../src/core/node/processTree.js';
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
