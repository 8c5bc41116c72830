import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseWindowsProcesses, type WindowsProcess, windowsTree } from '../../../src/core/node/windowsProcesses.js';

/** As a FILETIME. */
const fileTime = (ms: number): string => String((BigInt(ms) + 11_644_473_600_000n) * 10_000n);
const startedMs = Date.UTC(2026, 10, 22, 10);
const row = (pid: number, parentPid: number, afterMs: number): WindowsProcess => ({
  pid,
  parentPid,
  startedAt: fileTime(startedMs + afterMs),
});
const pidsIn = (rows: readonly WindowsProcess[]): readonly number[] => windowsTree(rows, { pid: 100, startedMs }).map(({ pid }) => pid);

test('the processes as PowerShell tells them', () => {
  assert.deepEqual(parseWindowsProcesses('100 7 134083512000000000\r\n8 4 \r\nsome words\r\n101 100 134083512010000000\r\n'), [
    { pid: 100, parentPid: 7, startedAt: '134083512000000000' },
    { pid: 101, parentPid: 100, startedAt: '134083512010000000' },
  ]);
});

test('the tree of a process holds its descendants, without itself', () => {
  assert.deepEqual(pidsIn([row(100, 7, 0), row(101, 100, 50), row(102, 101, 60), row(103, 7, 70)]), [101, 102]);
});

test('what the process left behind is found when it is gone', () => {
  assert.deepEqual(pidsIn([row(101, 100, 50), row(102, 101, 60)]), [101, 102]);
});

test('a child that is older than its parent is the child of somebody who had that number before', () => {
  assert.deepEqual(pidsIn([row(100, 7, 0), row(50, 100, -3_600_000), row(101, 100, 50), row(51, 101, 20)]), [101]);
});

test('a number that belongs to another process by now leads nowhere, also in a circle', () => {
  assert.deepEqual(pidsIn([row(100, 7, 60_000), row(101, 100, 60_050)]), []);
  assert.deepEqual(pidsIn([row(100, 101, 0), row(101, 100, 50)]), [101]);
});
