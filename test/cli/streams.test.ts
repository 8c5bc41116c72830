/** Output that nobody reads, output that cannot be written, and folders with other files in them. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, type StdioOptions } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { CliProcess, makePlace, type Place, runCli, testAgent } from './cliProcess.js';
import { cliProgram } from './programs.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace({ 'a.txt': 'one\n' });
});
afterEach(() => place.remove());

const posix = { skip: process.platform === 'win32' && 'Windows has neither pipes in folders nor /dev/full' };

/** @returns the exit code, and the output if stdout is a pipe */
function runWith(args: readonly string[], stdio: StdioOptions): Promise<{ readonly code: number | null; readonly stdout: string }> {
  const child = spawn(process.execPath, [cliProgram, ...args], { cwd: place.workspace, env: place.env, stdio });
  let stdout = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout })));
}

async function withFullDisk<T>(use: (full: number) => Promise<T>): Promise<T> {
  const full = openSync('/dev/full', 'w');
  try {
    return await use(full);
  } finally {
    closeSync(full);
  }
}

describe('a full disk', posix, () => {
  test('as stderr, it does not end a turn', async () => {
    const { code, stdout } = await withFullDisk((full) => runWith(['run', '--agent', 'demo', 'plan'], ['ignore', 'pipe', full]));
    assert.equal(code, 0);
    assert.match(stdout, /The workspace has 1 file/);
  });

  test('as stdout, it is an error for every command that prints', async () => {
    await runCli(place, ['run', '--agent', 'demo', 'list']);
    for (const args of [['sessions'], ['show', 'demo'], ['agents'], ['--help']]) {
      const { code } = await withFullDisk((full) => runWith(args, ['ignore', full, 'ignore']));
      assert.notEqual(code, 0, args.join(' '));
    }
  });
});

test('a stderr that is not read does not end a turn', async () => {
  const cli = new CliProcess(place, ['run', '--agent', 'demo', '--permission', 'allow', 'run echo begun; sleep 1; echo done']);
  cli.child.stderr.destroy();
  const { code, stdout } = await cli.ended();
  assert.equal(code, 0);
  assert.match(stdout, /done/);
});

test('a pipe among the saved sessions does not block the list', posix, async () => {
  const folder = path.join(place.env['ACP_HOST_STATE'] ?? '', 'journals');
  mkdirSync(folder, { recursive: true });
  execFileSync('mkfifo', [path.join(folder, 'pipe.jsonl')]);
  await runCli(place, ['run', '--agent', 'demo', 'list']);
  const { code, stdout } = await runCli(place, ['sessions']);
  assert.equal(code, 0);
  assert.match(stdout, / {2}list\n$/);
});

test('a relative program belongs to the current folder, not to the folder in which the agent works', async () => {
  const elsewhere = path.join(place.workspace, 'elsewhere');
  mkdirSync(elsewhere);
  const { code, stderr } = await runCli(place, ['run', '--command', './a.txt', '--cwd', elsewhere, 'hi']);
  assert.equal(code, 3);
  assert.ok(stderr.includes(path.join(place.workspace, 'a.txt')), stderr);
});

test('a gap in the output is reported to programs as an event', async () => {
  const { stdout } = await runCli(place, ['run', ...testAgent('speaksBeforeSession'), '--format', 'json', 'go'], {
    env: { EARLY_COUNT: '10005' },
  });
  assert.match(stdout, /"event":"notice","sessionId":"early","severity":"warning","code":"events_missing"/);
});

test('notices of the host are events for programs, also while an agent loads', async () => {
  const agent = testAgent('diesOnce');
  await runCli(place, ['run', ...agent, '--answer', 'x', 'first']);
  execFileSync('rm', [path.join(place.workspace, 'said.txt')]);
  const { stdout } = await runCli(place, ['run', ...agent, '--continue', '--format', 'json', 'second']);
  assert.match(stdout, /"event":"notice","sessionId":"s1","severity":"warning","code":"recall_nothing_told"/);
});
