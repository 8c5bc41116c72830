import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { anywhere, launchWith, programOfShim, resolveCommand, resolveLaunch } from '../../../src/core/node/resolveCommand.js';

const posix = { skip: process.platform === 'win32' ? 'executable bits are POSIX' : false };

async function folders(t: TestContext): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), 'acp-host-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  for (const folder of ['first', 'second', 'work/bin', 'second/folder']) await mkdir(path.join(root, folder), { recursive: true });
  await writeFile(path.join(root, 'first/agent'), 'not executable');
  for (const file of ['second/agent', 'work/bin/agent', 'work/agent']) {
    await writeFile(path.join(root, file), '#!/bin/sh\n');
    await chmod(path.join(root, file), 0o755);
  }
  return root;
}

test('PATH is searched in order for an executable file', posix, async (t) => {
  const root = await folders(t);
  const env = { PATH: [`${root}/missing`, `${root}/first`, `${root}/second`].join(path.delimiter) };
  assert.equal(await resolveCommand('agent', { env }), `${root}/second/agent`);
  assert.deepEqual(await resolveLaunch('agent', { env }), { file: `${root}/second/agent`, args: [] });
  assert.equal(await resolveCommand('folder', { env }), undefined);
  assert.equal(await resolveCommand('nothing', { env }), undefined);
  assert.equal(await resolveCommand('', { env }), undefined);
  assert.equal(await resolveCommand('agent', { env: {} }), undefined);
});

test('a path becomes one that leads to the same program from every folder, and a name stays', posix, () => {
  const commands = ['./agent', 'bin/agent', '../agent', 'agent', '/opt/agent'];
  assert.deepEqual(
    commands.map((command) => anywhere(command, '/srv/here')),
    ['/srv/here/agent', '/srv/here/bin/agent', '/srv/agent', 'agent', '/opt/agent'],
  );
});

test('relative and empty entries of PATH are ignored, so that a workspace cannot supply the command', posix, async (t) => {
  const root = await folders(t);
  const before = process.cwd();
  process.chdir(`${root}/work`);
  t.after(() => process.chdir(before));
  assert.equal(await resolveCommand('agent', { env: { PATH: ':.:bin' }, cwd: `${root}/work` }), undefined);
});

test('a path is resolved against cwd, and never searched for in PATH', posix, async (t) => {
  const root = await folders(t);
  assert.equal(await resolveCommand('./bin/agent', { env: {}, cwd: `${root}/work` }), `${root}/work/bin/agent`);
  assert.equal(await resolveCommand('bin/agent', { env: { PATH: root } }), undefined);
  assert.equal(await resolveCommand(`${root}/work/agent`, { env: {} }), `${root}/work/agent`);
});

test('a command with arguments or shell syntax is not found', posix, async (t) => {
  const root = await folders(t);
  const env = { PATH: `${root}/second` };
  for (const command of ['agent; touch x', '$(agent)', 'agent --flag', '"agent"', 'agent\0'])
    assert.equal(await resolveCommand(command, { env }), undefined);
});

test('programOfShim returns the script or executable that a shim of npm or pnpm starts', () => {
  const npm =
    '@ECHO off\r\nGOTO start\r\n:find_dp0\r\nSET dp0=%~dp0\r\nEXIT /b\r\n:start\r\nSETLOCAL\r\nCALL :find_dp0\r\nIF EXIST "%dp0%\\node.exe" (\r\n  SET "_prog=%dp0%\\node.exe"\r\n) ELSE (\r\n  SET "_prog=node"\r\n)\r\nendLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\\node_modules\\agent\\dist\\cli.js" %*\r\n';
  const pnpm =
    '@IF EXIST "%~dp0\\node.exe" (\r\n  "%~dp0\\node.exe"  "%~dp0\\..\\agent\\bin\\agent.mjs" %*\r\n) ELSE (\r\n  node  "%~dp0\\..\\agent\\bin\\agent.mjs" %*\r\n)\r\n';
  const native = '@"%~dp0\\node_modules\\agent\\bin\\agent.exe"   %*\r\n';
  const folder = path.resolve('/shims');
  assert.equal(programOfShim(npm, folder), path.resolve(folder, 'node_modules/agent/dist/cli.js'));
  assert.equal(programOfShim(pnpm, folder), path.resolve(folder, '../agent/bin/agent.mjs'));
  assert.equal(programOfShim(native, folder), path.resolve(folder, 'node_modules/agent/bin/agent.exe'));
  const ps1 =
    '#!/usr/bin/env pwsh\n$basedir=Split-Path $MyInvocation.MyCommand.Definition -Parent\n\n$exe=""\nif (Test-Path "$basedir/node$exe") {\n  & "$basedir/node$exe"  "$basedir/node_modules/agent/dist/cli.js" $args\n} else {\n  & "node$exe"  "$basedir/node_modules/agent/dist/cli.js" $args\n}\n';
  assert.equal(programOfShim(ps1, folder), path.resolve(folder, 'node_modules/agent/dist/cli.js'));
  assert.equal(programOfShim('@echo off\r\npython "%~dp0\\agent.py" %*\r\n', folder), undefined);
});

test('launchWith passes arguments to a batch file as one line for cmd.exe, and to any other program unchanged', () => {
  assert.deepEqual(launchWith({ file: '/bin/node', args: ['cli.js'] }, ['a b', '"']), {
    file: '/bin/node',
    args: ['cli.js', 'a b', '"'],
    verbatim: false,
  });
  assert.deepEqual(launchWith({ file: 'C:\\Windows\\System32\\cmd.exe', args: [], batchFile: 'C:\\x y\\agent.bat' }, ['a b']), {
    file: 'C:\\Windows\\System32\\cmd.exe',
    args: ['/d /e:on /v:off /s /c ""C:\\x y\\agent.bat" "a b""'],
    verbatim: true,
  });
});
