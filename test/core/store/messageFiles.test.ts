import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { removeUnusedMessageFiles, messageFilesIn } from '../../../src/core/store/messageFiles.js';

const dayMs = 24 * 60 * 60 * 1000;
const now = Date.UTC(2026, 5, 1);

async function folder(t: TestContext): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'acp-host-messages-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A file of a message, written so many days ago. */
async function written(directory: string, text: string, daysAgo: number): Promise<string> {
  const { name, uri } = await messageFilesIn(directory)(Buffer.from(text), 'png');
  const at = new Date(now - daysAgo * dayMs);
  await utimes(fileURLToPath(uri), at, at);
  return name;
}

describe('the files of pasted pictures', () => {
  it('an old file is removed if no saved conversation was active when it was written', async (t) => {
    const directory = await folder(t);
    const [young, used] = [await written(directory, 'young', 29), await written(directory, 'used', 50)];
    await written(directory, 'unused', 40);
    const conversations = [{ createdAt: now - 50 * dayMs + 60_000, updatedAt: now - 45 * dayMs }];
    await removeUnusedMessageFiles({ directory, conversations: () => Promise.resolve(conversations), now });
    assert.deepEqual((await readdir(directory)).sort(), [young, used].sort());
  });

  it('without old files, or without the folder, nothing is looked up', async (t) => {
    const directory = await folder(t);
    await written(directory, 'young', 1);
    const conversations = (): never => assert.fail('asked for the conversations');
    await removeUnusedMessageFiles({ directory, conversations, now });
    await removeUnusedMessageFiles({ directory: path.join(directory, 'missing'), conversations, now });
    assert.equal((await readdir(directory)).length, 1);
  });
});
