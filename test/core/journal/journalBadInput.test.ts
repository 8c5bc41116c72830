/**
 * Files in the folder that this host did not write, or not completely: each only affects itself, the user is informed, and the original
 * stays.
 */
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { SessionEvent } from '../../../src/core/session/event.js';
import { formatHead, formatVersion, journalPath } from '../../../src/core/journal/journalFormat.js';
import { chunk, ended, header, type JournalLab, lastState, openLab, readAll, started, readable } from './journalLab.js';
import { HostError } from '../../../src/core/base/errors.js';

const own = formatHead({ id: 's' });
const strangers: Readonly<Record<string, { readonly content: string | Uint8Array; readonly why: 'version' | 'foreign' }>> = {
  'from a newer version': {
    content: `${own.replace(`"version":${formatVersion}`, `"version":${formatVersion + 1}`)}{"type":"hologram"}\n`,
    why: 'version',
  },
  'from an older version': {
    content: `${own.replace(`"version":${formatVersion}`, `"version":${formatVersion - 1}`)}{"type":"turn_started"}\n`,
    why: 'version',
  },
  'of another conversation under this name': { content: formatHead({ id: 'other' }), why: 'foreign' },
  'with a header of the wrong shape': { content: '{"format":"acp-host-journal","version":"one"}\n', why: 'foreign' },
  'of words': { content: 'Dear diary,\n\ntoday\n', why: 'foreign' },
  'of bytes': { content: Uint8Array.from({ length: 5_000 }, (_, index) => (index * 7) % 256), why: 'foreign' },
  'of JSON that is no journal': { content: '[1,2,3]\n{"type":"turn_started"}\n', why: 'foreign' },
};

async function fileIn({ directory }: JournalLab, content: string | Uint8Array): Promise<string> {
  await mkdir(directory, { recursive: true });
  const file = journalPath(directory, 's');
  await writeFile(file, content);
  return file;
}

describe('an invalid file in the folder', () => {
  for (const [what, { content, why }] of Object.entries(strangers)) {
    it(`${what} is left unchanged, and the user is told that the conversation is not saved`, async (t) => {
      const lab = await openLab(t);
      const file = await fileIn(lab, content);
      await assert.rejects(readAll(lab.store, 's'), (error) => error instanceof HostError && error.params.reason === `unreadable_${why}`);
      const journal = lab.open('s');
      journal.append([started('t1'), chunk('new'), ended('t1')]);
      await journal.close();
      assert.deepEqual(
        lab.told.map(({ code, params }) => [code, params]),
        [['storage_failed', { reason: 'left_alone', path: file }]],
      );
      assert.deepEqual(await readFile(file), Buffer.from(content));
      assert.deepEqual(await lab.files(), [file]);
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
      assert.equal(await readAll(lab.store, 's'), undefined);
      const journal = lab.open('s');
      journal.append([started('t1')]);
      await journal.close();
      const saved = await readAll(lab.store, 's');
      assert.deepEqual([saved?.sessions, saved?.dropped], [[{ ...header('s'), events: [started('t1')] }], 0]);
      assert.equal((await lab.files()).length, 1);
    });
  }

  it('a file that is no journal does not keep others out of the list', async (t) => {
    const lab = await openLab(t);
    await fileIn(lab, 'Dear diary');
    await mkdir(join(lab.directory, 'folder.jsonl'));
    await writeFile(join(lab.directory, 'x.y.z.jsonl'), '');
    const journal = lab.open('other');
    journal.append([started('t1')]);
    await journal.close();
    assert.deepEqual(await readable(lab), ['other']);
  });
});

describe('the id that an agent gives to a session', () => {
  const ids = ['../../escape', '/absolute', 'a\0b', 'con', '.', '', '  ', 'line\nbreak', '😀'.repeat(300), '\ud800', '*?"<>|'];
  for (const sessionId of ids) {
    it(`it may be ${JSON.stringify(sessionId.slice(0, 20))}, and names no file`, async (t) => {
      const lab = await openLab(t);
      const journal = lab.store.open('c', header(sessionId), true);
      journal.append([started('t1'), chunk('words'), ended('t1')]);
      await journal.close();
      const state = await lastState(lab.store, 'c');
      assert.deepEqual([state?.sessionId, state?.items.length], [sessionId, 3]);
      assert.deepEqual(await lab.files(), [journalPath(lab.directory, 'c')]);
    });
  }

  it('it may be 10 MB long: the session is saved and continued, and not every message needs a file', async (t) => {
    const lab = await openLab(t);
    const session = header('x'.repeat(10 * 1024 * 1024));
    const said: SessionEvent[] = [];
    const say = async (...words: readonly string[]): Promise<void> => {
      const journal = lab.store.open('c', session, false);
      for (const one of words) {
        said.push(chunk(one));
        journal.append([chunk(one)]);
        await journal.flush();
      }
      await journal.close();
    };
    await say('one', 'two', 'three');
    await say('four');
    assert.deepEqual((await readAll(lab.store, 'c'))?.sessions, [{ ...session, events: said }]);
    // Each time it is opened, its id is written once.
    assert.ok((await lab.files()).length <= 2, `${(await lab.files()).length} files`);
    assert.deepEqual(lab.told, []);
  });
});
