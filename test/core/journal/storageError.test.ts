/**
 * A disk that does not accept data. These are real limits of the system: a file size limit acts as a full disk that can be emptied again.
 */
import assert from 'node:assert/strict';
import { mkdir, rm, truncate, writeFile } from 'node:fs/promises';
import { afterEach, describe, it } from 'node:test';
import type { HostError } from '../../../src/core/base/errors.js';
import { nullLogger } from '../../../src/core/base/logger.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import { JournalQueue, type QueuedEvent } from '../../../src/core/journal/journalWriter.js';
import { JournalWriter } from '../../../src/core/journal/journalWriter.js';
import { errorCause } from '../../../src/text/errorCause.js';
import { chunk, ended, header, type JournalLab, limitFiles, openLab, readAll, started, readable } from './journalLab.js';

const words = Array.from({ length: 40 }, (_, index) => chunk(`${index} `.padEnd(200, '.'), 10 + index));

const session = header('s');
const queued = (event: SessionEvent): QueuedEvent => ({ session, event, line: () => `${JSON.stringify(event)}\n` });

const wordsFor = (error: HostError | undefined): string => (error === undefined ? '' : errorCause(error.toData(), 'agent'));

async function kept({ store }: JournalLab, id: string): Promise<readonly SessionEvent[] | undefined> {
  const content = await readAll(store, id);
  assert.equal(content?.dropped, 0, 'lines that could not be read');
  return content.events;
}

describe('a full disk', { skip: process.platform !== 'linux' && 'only Linux can limit the files of a running process' }, () => {
  afterEach(() => limitFiles('unlimited'));

  it('it is reported once, and when there is room again, nothing is missing', async (t) => {
    const lab = await openLab(t);
    const journal = lab.open('s');
    limitFiles(4_000);
    journal.append([started('t1'), ...words.slice(0, 30)]);
    await journal.flush();
    journal.append(words.slice(30));
    await journal.flush();
    assert.deepEqual(
      lab.told.map(({ code, params }) => [code, params['path'], params['systemCode']]),
      [['storage_failed', lab.directory, 'EFBIG']],
    );
    assert.match(wordsFor(lab.told[0]), /can't be saved right now: the file has reached its maximum size/);
    limitFiles('unlimited');
    journal.append([ended('t1')]);
    await journal.close();
    assert.deepEqual(await kept(lab, 's'), [started('t1'), ...words, ended('t1')]);
  });

  it('a conversation is not copied before all of it is saved, and not in part', async (t) => {
    const lab = await openLab(t);
    const journal = lab.open('s');
    limitFiles(1_000);
    journal.append([started('t1'), ...words, ended('t1'), started('t2')]);
    await assert.rejects(lab.store.copyBefore('t2', 's', 'copy'), { code: 'storage_failed' });
    limitFiles('unlimited');
    await journal.flush();
    limitFiles(1_000);
    await assert.rejects(lab.store.copyBefore('t2', 's', 'copy'), { code: 'storage_failed' });
    limitFiles('unlimited');
    await lab.store.remove('copy');
    assert.equal((await lab.store.copyBefore('t2', 's', 'copy'))?.sessionId, 's');
    assert.deepEqual(await kept(lab, 'copy'), [started('t1'), ...words, ended('t1')]);
    await journal.close();
  });

  it('it is reported again when it happens again', async (t) => {
    const lab = await openLab(t);
    const journal = lab.open('s');
    for (const limit of [1_000, 6_000]) {
      limitFiles(limit);
      journal.append([started('t1'), ...words]);
      await journal.flush();
      limitFiles('unlimited');
      await journal.flush();
    }
    await journal.close();
    assert.equal(lab.told.length, 2);
  });

  it('writing is retried automatically', async (t) => {
    const lab = await openLab(t);
    let tell = (): void => {};
    const recovered = new Promise<void>((resolve) => (tell = resolve));
    const writer = new JournalWriter({
      directory: lab.directory,
      id: 's',
      growthBytes: 1e6,
      waitingChars: 1e6,
      retryMs: 10,
      onGrowth: () => {},
      onPartLost: () => {},
      onTrouble: () => limitFiles('unlimited'),
      log: { ...nullLogger, info: () => tell() },
    });
    limitFiles(1_000);
    for (const event of words) writer.append(queued(event));
    // The timer of the next attempt does not keep the process alive, so the test does.
    const alive = setInterval(() => {}, 1_000);
    await recovered.finally(() => clearInterval(alive));
    await writer.close();
    assert.deepEqual(await kept(lab, 's'), words);
  });

  it('the beginning stays complete, even if the first line was cut off', async (t) => {
    const lab = await openLab(t);
    const journal = lab.open('s');
    for (const limit of [10, 60]) {
      limitFiles(limit);
      journal.append([started('t1')]);
      await journal.flush();
    }
    limitFiles('unlimited');
    await journal.close();
    assert.deepEqual(await kept(lab, 's'), [started('t1'), started('t1')]);
    assert.deepEqual(await readable(lab), ['s']);
  });

  it('the queue is bounded in memory: what is dropped is reported at its place, and the author of the turn is kept', async (t) => {
    const lab = await openLab(t);
    const writer = new JournalWriter({
      directory: lab.directory,
      id: 's',
      growthBytes: 1e6,
      waitingChars: 3_000,
      retryMs: 1e6,
      log: nullLogger,
      onTrouble: () => {},
      onGrowth: () => {},
      onPartLost: () => {},
    });
    const append = (...events: SessionEvent[]): void => {
      for (const event of events) writer.append(queued(event));
    };
    append(started('t1'));
    await writer.flush();
    limitFiles(500);
    append(...words, ended('t1'), started('t2'), chunk('lost'), ended('t2'));
    await writer.flush();
    limitFiles('unlimited');
    append(chunk('kept: there is room in memory again'));
    await writer.flush();
    append(chunk('kept'));
    await writer.close();
    const events = (await kept(lab, 's')) ?? [];
    const at = events.findIndex((event) => event.type === 'host_notice');
    assert.deepEqual(events.slice(0, at), [started('t1'), ...words.slice(0, at - 1)]);
    assert.ok(at > 5 && at < 30, `${at} events before the gap`);
    const [gap, ...rest] = events.slice(at);
    assert.deepEqual(rest, [ended('t1'), started('t2'), ended('t2'), chunk('kept: there is room in memory again'), chunk('kept')]);
    assert.ok(gap?.type === 'host_notice' && gap.code === 'events_missing', JSON.stringify(gap));
    assert.equal(gap.params.cause, 'pace', 'it was too much before the disk was asked');
    assert.equal(gap.params.events, words.length - (at - 1) + 1);
  });

  it('it is distinguished from a slow disk', () => {
    const gapOf = (isStuck: boolean): string => {
      const queue = new JournalQueue(100);
      const line = (): string => 'x'.repeat(101);
      queue.push({ session, event: chunk('fits'), line });
      queue.push({ session, event: chunk('too much'), line });
      queue.isStuck = isStuck;
      return Buffer.from(queue.take(1_000)?.bytes ?? []).toString();
    };
    assert.match(gapOf(false), /"cause":"pace"/);
    assert.match(gapOf(true), /"cause":"disk"/);
  });

  it('if it is still full at the end, the log says so', async (t) => {
    const lab = await openLab(t);
    const journal = lab.open('s');
    limitFiles(10);
    journal.append([started('t1')]);
    await journal.close();
    assert.ok(lab.logged.includes('A conversation was closed before all of it could be saved'), lab.logged.join('\n'));
  });
});

describe('a folder that cannot be written to', () => {
  it('its path is reported, and once it can be written to, everything is saved', async (t) => {
    const lab = await openLab(t);
    await writeFile(lab.directory, 'a file');
    const journal = lab.open('s');
    journal.append([started('t1')]);
    await journal.flush();
    assert.equal(lab.told.length, 1);
    assert.match(wordsFor(lab.told[0]), /not a folder/);
    assert.equal(lab.told[0]?.params['path'], lab.directory);
    await rm(lab.directory);
    journal.append([ended('t1')]);
    await journal.close();
    assert.deepEqual(await kept(lab, 's'), [started('t1'), ended('t1')]);
  });

  it('listing it fails, too, and this is reported', async (t) => {
    const lab = await openLab(t);
    await writeFile(lab.directory, 'a file');
    await assert.rejects(readable(lab), { code: 'storage_failed', message: /folder_unreadable/ });
    await assert.rejects(readAll(lab.store, 's'), { code: 'storage_failed' });
  });

  it('a folder may be in the place of the file', async (t) => {
    const lab = await openLab(t);
    const journal = lab.open('s');
    journal.append([started('t1')]);
    await journal.close();
    const [file = ''] = await lab.files();
    await rm(file);
    await mkdir(file);
    const again = lab.open('s');
    again.append([chunk('more')]);
    await again.flush();
    assert.match(wordsFor(lab.told[0]), /a folder has the name of the file/);
    await assert.rejects(readAll(lab.store, 's'), { code: 'storage_failed' });
    await rm(file, { recursive: true });
    await again.close();
    assert.deepEqual(await kept(lab, 's'), [chunk('more')]);
  });

  for (const left of [0, 100, 400])
    it(`it may be cut to ${left} bytes while a conversation is being written: what follows is read, and the loss is told`, async (t) => {
      const lab = await openLab(t);
      const journal = lab.open('s', true);
      journal.append([started('t1'), chunk('before '.repeat(100)), ended('t1')]);
      await journal.flush();
      const [file = ''] = await lab.files();
      await truncate(file, left);
      journal.append([started('t2'), chunk('after'), ended('t2')]);
      await journal.close();
      const events = (await readAll(lab.store, 's'))?.events ?? [];
      assert.deepEqual(events.slice(-3), [started('t2'), chunk('after'), ended('t2')]);
      assert.ok(events.some((event) => event.type === 'host_notice' && event.code === 'part_removed'));
    });

  it('it may be removed while a conversation is being written', async (t) => {
    const lab = await openLab(t);
    const journal = lab.open('s');
    journal.append([started('t1')]);
    await journal.flush();
    await rm(lab.directory, { recursive: true });
    journal.append([chunk('after')]);
    await journal.flush();
    journal.append([chunk('later')]);
    await journal.close();
    const [notice, ...others] = (await kept(lab, 's')) ?? [];
    assert.ok(notice?.type === 'host_notice' && notice.code === 'part_removed', JSON.stringify(notice));
    assert.deepEqual(others, [chunk('after'), chunk('later')]);
    assert.ok(lab.logged.some((line) => line.includes('was removed while in use')));
  });

  it('a running tool call shows its whole output again after that', async (t) => {
    const lab = await openLab(t);
    const journal = lab.open('s');
    const shows = (text: string): SessionEvent => ({
      ...{ type: 'tool', at: 2, id: 'x', toolCallId: 'x' },
      patch: { status: 'in_progress', content: [{ type: 'content', content: { type: 'text', text } }] },
    });
    journal.append([started('t1'), shows('one')]);
    await journal.flush();
    await rm(lab.directory, { recursive: true });
    for (const text of ['one two', 'one two three']) {
      journal.append([shows(text)]);
      await journal.flush();
    }
    await journal.close();
    assert.deepEqual((await kept(lab, 's'))?.at(-1), shows('one two three'));
  });

  it('so may the file, while the disk accepts nothing', async (t) => {
    const lab = await openLab(t);
    const journal = lab.open('s');
    journal.append([started('t1')]);
    await journal.flush();
    await rm(lab.directory, { recursive: true });
    await writeFile(lab.directory, 'a file');
    journal.append([chunk('after')]);
    await journal.flush();
    await rm(lab.directory);
    await journal.close();
    assert.deepEqual(
      (await kept(lab, 's'))?.map((event) => (event.type === 'host_notice' ? event.code : event.type)),
      ['part_removed', 'message'],
    );
  });
});
