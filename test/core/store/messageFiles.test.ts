import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { removeUnusedMessageFiles, messageFilesIn } from '../../../src/core/store/messageFiles.js';
import { summary } from './storeLab.js';

const dayMs = 24 * 60 * 60 * 1000;
const now = Date.UTC(2026, 5, 1);

async function folder(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'acp-host-messages-'));
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
    const conversations = [{ createdAt: now - 50 * dayMs + 60_000, summary: summary('hello', { usedAt: now - 45 * dayMs }) }];
    await removeUnusedMessageFiles({ directory, conversations, now });
    assert.deepEqual((await readdir(directory)).sort(), [young, used].sort());
  });

  it('one in a conversation without messages stays, because it may be in its draft', async (t) => {
    const directory = await folder(t);
    const drafted = await written(directory, 'drafted', 40);
    await written(directory, 'later', 35);
    await removeUnusedMessageFiles({ directory, conversations: [{ createdAt: now - 40 * dayMs, summary: undefined }], now });
    assert.deepEqual(await readdir(directory), [drafted]);
  });

  it('without any conversation, the young ones stay, and the folder may be missing', async (t) => {
    const directory = await folder(t);
    const young = await written(directory, 'young', 1);
    for (const path of [directory, join(directory, 'missing')]) await removeUnusedMessageFiles({ directory: path, conversations: [], now });
    assert.deepEqual(await readdir(directory), [young]);
  });
});
