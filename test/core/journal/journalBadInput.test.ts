/**
 * Files in the folder that this host did not write, or not completely: each only affects itself, the user is informed, and the original
 * stays.
 */
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { formatVersion } from '../../../src/core/journal/formatVersion.js';
import { readConversation } from '../../../src/core/journal/journalStore.js';
import { journalName } from '../../../src/core/journal/journalFiles.js';
import { formatHead } from '../../../src/core/journal/journalFormat.js';
import { chunk, ended, header, type JournalLab, openLab, readAll, started } from './journalLab.js';
import { HostError } from '../../../src/core/base/errors.js';

const own = formatHead({ ...header('s'), offsetBytes: 0 });
const strangers: Readonly<Record<string, { readonly content: string | Uint8Array; readonly why: 'newer' | 'foreign' }>> = {
  'from a newer version': {
    content: `${own.replace(`"version":${formatVersion}`, `"version":${formatVersion + 1}`)}{"type":"hologram"}\n`,
    why: 'newer',
  },
  'of another session under this name': { content: formatHead({ ...header('other'), offsetBytes: 0 }), why: 'foreign' },
  'of another agent under this name': {
    content: formatHead({ ...header('s'), agentId: 'other', offsetBytes: 0 }),
    why: 'foreign',
  },
  'with a header of the wrong shape': { content: '{"format":"acp-host-journal","version":"one"}\n', why: 'foreign' },
  'of words': { content: 'Dear diary,\n\ntoday\n', why: 'foreign' },
  'of bytes': { content: Uint8Array.from({ length: 5_000 }, (_, index) => (index * 7) % 256), why: 'foreign' },
  'of JSON that is no journal': { content: '[1,2,3]\n{"type":"turn_started"}\n', why: 'foreign' },
};

async function fileIn({ directory }: JournalLab, content: string | Uint8Array): Promise<string> {
  await mkdir(directory, { recursive: true });
  const file = join(directory, `${journalName('agent', 's')}.jsonl`);
  await writeFile(file, content);
  return file;
}

describe('an invalid file in the folder', () => {
  for (const [what, { content, why }] of Object.entries(strangers)) {
    it(`${what} is left unchanged, and the conversation is saved beside it`, async (t) => {
      const lab = await openLab(t);
      const file = await fileIn(lab, content);
      await assert.rejects(
        readAll(lab.store, 'agent', 's'),
        (error) => error instanceof HostError && error.params.reason === `unreadable_${why}`,
      );
      const journal = lab.store.open(header('s'));
      journal.append([started('t1'), chunk('new'), ended('t1')]);
      await journal.close();
      assert.deepEqual(
        lab.told.map(({ code, params }) => [code, params]),
        [['storage_failed', { reason: `left_alone_${why}`, path: file }]],
      );
      assert.deepEqual(await readFile(file), Buffer.from(content));
      const [notice, ...events] = (await readAll(lab.store, 'agent', 's'))?.events ?? [];
      assert.deepEqual(events, [started('t1'), chunk('new'), ended('t1')]);
      assert.ok(notice?.type === 'host_notice' && notice.code === 'part_unreadable');
      assert.deepEqual([notice.params.why, notice.params.path], [why, file]);
    });
  }

  for (const [what, content] of Object.entries({
    'with nothing in it': '',
    'cut within its header': own.slice(0, 25),
    'cut before the end of its header': own.slice(0, -2),
  })) {
    it(`${what} is started over`, async (t) => {
      const lab = await openLab(t);
      await fileIn(lab, content);
      assert.equal(await readAll(lab.store, 'agent', 's'), undefined);
      const journal = lab.store.open(header('s'));
      journal.append([started('t1')]);
      await journal.close();
      assert.deepEqual(await readAll(lab.store, 'agent', 's'), { header: header('s'), events: [started('t1')], dropped: 0 });
      assert.equal((await lab.files()).length, 1);
    });
  }

  it('a file that is no journal does not keep others out of the list', async (t) => {
    const lab = await openLab(t);
    await fileIn(lab, 'Dear diary');
    await mkdir(join(lab.directory, 'folder.jsonl'));
    await writeFile(join(lab.directory, 'x.y.z.jsonl'), '');
    const journal = lab.store.open(header('other'));
    journal.append([started('t1')]);
    await journal.close();
    assert.deepEqual(
      (await lab.store.list()).map(({ sessionId }) => sessionId),
      ['other'],
    );
  });
});

describe('a session id', () => {
  const ids = ['../../escape', '/absolute', 'a\0b', 'con', '.', '', '  ', 'line\nbreak', '😀'.repeat(300), '\ud800', '*?"<>|'];
  for (const id of ids) {
    it(`it may be ${JSON.stringify(id.slice(0, 20))}`, async (t) => {
      const lab = await openLab(t);
      const journal = lab.store.open(header(id));
      journal.append([started('t1'), chunk('words'), ended('t1')]);
      await journal.close();
      assert.equal((await readConversation(lab.store, 'agent', id))?.items.length, 3);
      assert.deepEqual(
        (await lab.store.list()).map(({ sessionId }) => sessionId),
        [id],
      );
      assert.equal((await lab.files()).length, 1);
    });
  }

  it('it may be 10 MB long: the session is saved and continued', async (t) => {
    const lab = await openLab(t);
    const id = 'x'.repeat(10 * 1024 * 1024);
    for (const words of ['one', 'two']) {
      const journal = lab.store.open(header(id));
      journal.append([chunk(words)]);
      await journal.close();
    }
    assert.deepEqual((await readAll(lab.store, 'agent', id))?.events, [chunk('one'), chunk('two')]);
    assert.deepEqual([(await lab.files()).length, lab.told], [1, []]);
  });
});
