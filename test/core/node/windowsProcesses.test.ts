import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import {
  endOnWindows,
  endTree,
  listWindowsTree,
  parseWindowsProcesses,
  type WindowsProcess,
  windowsTree,
} from '../../../src/core/node/processTree.js';

/** Returns the time as a FILETIME. */
const fileTime = (ms: number): string => String((BigInt(ms) + 11_644_473_600_000n) * 10_000n);
const startedMs = Date.UTC(2026, 10, 22, 10);
const row = (pid: number, parentPid: number, afterMs: number): WindowsProcess => ({
  pid,
  parentPid,
  startedAt: fileTime(startedMs + afterMs),
});
const pidsIn = (rows: readonly WindowsProcess[]): readonly number[] => windowsTree(rows, { pid: 100, startedMs }).map(({ pid }) => pid);

test('the process list of PowerShell is parsed, and any other line is skipped', () => {
  assert.deepEqual(parseWindowsProcesses('100 7 134083512000000000\r\n8 4 \r\nsome words\r\n101 100 134083512010000000\r\n'), [
    { pid: 100, parentPid: 7, startedAt: '134083512000000000' },
    { pid: 101, parentPid: 100, startedAt: '134083512010000000' },
  ]);
});

test('the tree of a process contains its descendants, but not the process itself', () => {
  assert.deepEqual(pidsIn([row(100, 7, 0), row(101, 100, 50), row(102, 101, 60), row(103, 7, 70)]), [101, 102]);
});

test('descendants are found after the process has exited', () => {
  assert.deepEqual(pidsIn([row(101, 100, 50), row(102, 101, 60)]), [101, 102]);
});

test('a child that is older than its parent belongs to an earlier process with the same ID', () => {
  assert.deepEqual(pidsIn([row(100, 7, 0), row(50, 100, -3_600_000), row(101, 100, 50), row(51, 101, 20)]), [101]);
});

test('a process ID that now belongs to another process has no descendants, and a cycle of parents ends', () => {
  assert.deepEqual(pidsIn([row(100, 7, 60_000), row(101, 100, 60_050)]), []);
  assert.deepEqual(pidsIn([row(100, 101, 0), row(101, 100, 50)]), [101]);
});

describe('when a Windows program fails', { skip: process.platform === 'win32' ? 'its programs cannot be replaced' : false }, () => {
  /** Simulates a Windows in which each program runs this script. */
  async function windowsWhere(t: TestContext, script: string): Promise<void> {
    const folder = await mkdtemp(path.join(tmpdir(), 'acp-host-windows-'));
    const before = process.env['SystemRoot'];
    process.env['SystemRoot'] = path.join(folder, 'Windows');
    t.after(async () => {
      if (before === undefined) delete process.env['SystemRoot'];
      else process.env['SystemRoot'] = before;
      await rm(folder, { recursive: true });
    });
    // On POSIX, a backslash is part of the file name.
    for (const program of [String.raw`Windows\System32\taskkill.exe`, String.raw`Windows\System32\WindowsPowerShell\v1.0\powershell.exe`])
      await writeFile(path.join(folder, program), `#!/bin/sh\n${script}\n`, { mode: 0o700 });
  }

  test('an empty process list is an error, not an empty tree', async (t) => {
    await windowsWhere(t, 'exit 1');
    await assert.rejects(listWindowsTree({ pid: 100, startedMs }), /listed no processes \(code 1\)/);
  });

  test('a process that cannot be ended is an error', async (t) => {
    await windowsWhere(t, 'exit 1');
    await assert.rejects(endTree(100), /did not end process 100 \(code 1\)/);
  });

  test('ending a process that has already exited is not an error', async (t) => {
    await windowsWhere(t, 'exit 128');
    await endTree(100);
  });

  test('each process is tried even if another one cannot be ended, but not one whose ID was reused', async (t) => {
    await windowsWhere(t, `[ "$1" = /PID ] && echo "$2" >> "$(dirname "$0")/ended" && exit 5\nprintf '7 1 50\\n8 1 60\\n9 1 70\\n'`);
    const those = [
      { pid: 7, startedAt: '50' },
      { pid: 8, startedAt: '61' },
      { pid: 9, startedAt: '70' },
    ];
    await assert.rejects(endOnWindows(those), (error: AggregateError) => error.errors.length === 2);
    assert.equal(await readFile(path.join(path.dirname(process.env['SystemRoot'] ?? ''), 'ended'), 'utf8'), '7\n9\n');
  });
});
