/** These tests do not need Windows: its programs are injected. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Logger, nullLogger } from '../../../src/core/base/logger.js';
import { stopOnWindows, type WindowsSystem } from '../../../src/core/process/stopProcess.js';
import type { RunningProcess } from '../../../src/core/process/stopProcess.js';

const left = { pid: 7, startedAt: '134083512000000000' };
const fail = (): Promise<never> => Promise.reject(new Error('powershell.exe was not found'));

/** Stops a process on a simulated Windows. @returns what was done, in order */
async function stopped(failing: Partial<WindowsSystem>, endsByItself = false): Promise<readonly string[]> {
  const done: string[] = [];
  const log: Logger = { ...nullLogger, warn: (message) => done.push(`warned: ${message}`) };
  const running: RunningProcess = {
    pid: 5,
    startedMs: 0,
    identity: undefined,
    seen: () => [],
    mark: '',
    exited: Promise.resolve(),
    closeInput: () => done.push('closed its input'),
    lastOutputAt: () => 0,
    signal: (signal) => done.push(signal),
  };
  const system: WindowsSystem = {
    list: () => Promise.resolve([left]),
    end: async (pid) => void done.push(`ended ${pid}`),
    endThose: async (processes) => void done.push(`ended the rest: ${processes.map(({ pid }) => pid).join(', ')}`),
    ...failing,
  };
  const gone = await stopOnWindows(running, { ends: async () => endsByItself, isGone: async () => true }, log, system);
  assert.ok(gone);
  return done;
}

test('the child processes of the agent are ended after the agent', async () => {
  assert.deepEqual(await stopped({}), ['closed its input', 'ended 5', 'ended the rest: 7']);
});

test('the child processes are ended even if the agent exits by itself in time', async () => {
  assert.deepEqual(await stopped({}, true), ['closed its input', 'ended the rest: 7']);
});

test('if listing the child processes fails, it is logged and the agent is still ended', async () => {
  assert.deepEqual(await stopped({ list: fail }), [
    'warned: Could not list the child processes of the agent; some may keep running',
    'closed its input',
    'ended 5',
    'ended the rest: ',
  ]);
});

test('if ending the agent fails, it is logged, the agent is killed, and its child processes are ended', async () => {
  assert.deepEqual(await stopped({ end: fail }), [
    'closed its input',
    'warned: Could not end the agent and its child processes',
    'SIGKILL',
    'ended the rest: 7',
  ]);
});

test('if ending the child processes fails, it is logged', async () => {
  assert.deepEqual(await stopped({ endThose: fail }), [
    'closed its input',
    'ended 5',
    'warned: Could not end the processes that the agent left behind',
  ]);
});
