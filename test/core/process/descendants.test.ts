import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { test } from 'node:test';
import { type Logger, nullLogger } from '../../../src/core/base/logger.js';
import { type ProcessIdentity, identifyProcess } from '../../../src/core/node/processTree.js';
import { Descendants } from '../../../src/core/process/ownedProcess.js';

test('if the processes cannot be listed, the failure is logged and they are listed again later', {
  timeout: 20_000,
  skip: process.platform === 'win32' ? 'on Windows, they are listed when the agent stops' : false,
}, async (t) => {
  // Fails as it does when no file descriptors are left.
  const refused = t.mock.method(fs.promises, 'readdir', () => Promise.reject(new Error('EMFILE: too many open files')));
  syncBuiltinESMExports();
  t.after(() => {
    refused.mock.restore();
    syncBuiltinESMExports();
  });
  let tell: (words: string) => void = () => {};
  let see: (members: readonly ProcessIdentity[]) => void = () => {};
  const told = new Promise<string>((resolve) => (tell = resolve));
  const seen = new Promise<readonly ProcessIdentity[]>((resolve) => (see = resolve));
  const log: Logger = { ...nullLogger, debug: (words) => tell(words) };
  const descendants = new Descendants(identifyProcess(process.ppid), log, (members) => see(members));
  // The timer of Descendants does not keep the process alive.
  const awake = setInterval(() => {}, 60_000);
  t.after(() => {
    clearInterval(awake);
    descendants.dispose();
  });
  descendants.onSignOfLife();
  assert.match(await told, /Could not list the child processes/);
  refused.mock.restore();
  syncBuiltinESMExports();
  descendants.onSignOfLife();
  assert.ok((await seen).some(({ pid }) => pid === process.ppid));
});
