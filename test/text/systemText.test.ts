import assert from 'node:assert/strict';
import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { type HostErrorCode, toHostError } from '../../src/core/index.js';
import { openSocket } from '../../src/core/transport/serverSocket.js';
import { errorMessage } from '../../src/text/errorText.js';

/** How Node begins or ends the text of an error of the operating system. */
const raw = /\bE[A-Z]{3,}\b/;

async function thrownBy(action: () => Promise<unknown>): Promise<unknown> {
  try {
    await action();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown.');
}

test('no error says the code of the operating system instead of words', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'acp-host-system-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'file');
  await writeFile(file, '');
  const failures = [
    [() => mkdir(path.join(file, 'below')), 'the path is not a folder'],
    [() => readFile(path.join(folder, 'missing')), 'there is no such file or folder'],
    [() => readFile(folder), 'a folder has the name of the file'],
  ] as const;
  const codes: readonly HostErrorCode[] = ['internal', 'changes_unknown', 'storage_failed'];
  for (const [action, words] of failures) {
    const thrown = await thrownBy(action);
    for (const code of codes) {
      const said = errorMessage(toHostError(thrown, code).toData(), 'The agent');
      assert.doesNotMatch(said, raw);
      assert.ok(said.includes(words), said);
    }
  }
  assert.ok(
    errorMessage(toHostError(await thrownBy(() => mkdir(path.join(file, 'below'))), 'changes_unknown').toData(), '').includes(file),
  );
});

test('a server that refuses the connection is described in words', async () => {
  const nothing = new URL('ws://127.0.0.1:1');
  const thrown = await thrownBy(() =>
    openSocket({ url: nothing, pin: undefined, timeoutMs: 10_000, signal: new AbortController().signal }),
  );
  const said = errorMessage(toHostError(thrown).toData(), 'The agent');
  assert.doesNotMatch(said, raw);
  assert.match(said, /the connection was refused/);
});
