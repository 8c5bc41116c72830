/** The retention while conversations are used. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, describe, it, mock } from 'node:test';
import { nullLogger } from '../../../src/core/base/logger.js';
import { journalPath } from '../../../src/core/journal/journalFormat.js';
import { keepWithinLimits, type RetentionOptions } from '../../../src/core/journal/journalLimits.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import { chunk, type JournalLab, openLab, readAll, started, write } from './journalLab.js';

function restore(): void {
  mock.restoreAll();
  syncBuiltinESMExports();
}

afterEach(restore);

const long = chunk('words of the agent '.repeat(100));
const output: SessionEvent = {
  type: 'tool',
  at: 2,
  id: 'x',
  toolCallId: 'x',
  patch: { title: 'Build', status: 'completed', content: [{ type: 'content', content: { type: 'text', text: 'a line\n'.repeat(500) } }] },
};

describe('a conversation that is resumed while old data is being removed', () => {
  it('it is not removed', async (t) => {
    const lab = await openLab(t);
    for (const id of ['first', 'second']) await write(lab, id, [started('t1'), long]);
    const events = (await readAll(lab.store, 'first'))?.events;
    const removed: string[] = [];
    await limit(lab, { total: 100, isOpen: openOnceAsked('first'), onRemoved: (_, ids) => removed.push(...ids) });
    assert.deepEqual((await readAll(lab.store, 'first'))?.events, events);
    assert.deepEqual(removed, ['second']);
  });

  it('what is said in it meanwhile is behind what is left of it', async (t) => {
    const lab = await openLab(t, { limits: { perSessionBytes: 4_000, totalBytes: 8_000 } });
    await write(lab, 's', [started('t1'), output]);
    await write(lab, 'other', [started('t1'), long]);
    const journal = lab.open('s');
    for (let count = 0; count < 50; count++) {
      journal.append([chunk(`${count} `)]);
      // It is written and reduced in any order.
      if (count % 10 === 0) await Promise.race([journal.flush(), new Promise((resolve) => setImmediate(resolve))]);
      if (count % 20 === 0) journal.append([{ ...output, id: `x${count}`, toolCallId: 'x' }]);
    }
    await journal.close();
    const { events = [], dropped } = (await readAll(lab.store, 's')) ?? {};
    const said = events.flatMap((event) => (event.type === 'message' && event.content.type === 'text' ? [event.content.text] : []));
    assert.deepEqual([said.join('').trim().split(' ').at(-1), dropped], ['49', 0]);
    assert.deepEqual(said.join('').trim().split(' ').length > 20 && said.join('').includes('48 49'), true);
    assert.ok(events.some((event) => event.type === 'host_notice' && event.code === 'tool_output_removed'));
  });

  it('its running tool call shows its output again after the output so far was removed', async (t) => {
    const lab = await openLab(t, { limits: { perSessionBytes: 16_000 } });
    const journal = lab.open('s');
    const shows = (lines: number): SessionEvent => ({
      ...output,
      patch: { status: 'in_progress', content: [{ type: 'content', content: { type: 'text', text: 'a line\n'.repeat(lines) } }] },
    });
    journal.append([started('t1'), shows(900)]);
    await journal.flush();
    for (let more = 0; !lab.logged.some((line) => line.includes('Removed tool output')); more++) {
      assert.ok(more < 100, lab.logged.join('\n'));
      journal.append([chunk('word '.repeat(100))]);
      await journal.flush();
      await new Promise((resolve) => setImmediate(resolve));
    }
    // Shorter, so that it is not too much again.
    journal.append([shows(450)]);
    await journal.close();
    const { events = [] } = (await readAll(lab.store, 's')) ?? {};
    const last = events.findLast((event) => event.type === 'tool');
    assert.ok(last?.type === 'tool' && JSON.stringify(last.patch.content).includes('a line'), JSON.stringify(last));
  });
});

it('of a file whose tool output was already removed, only the beginning is read', async (t) => {
  const lab = await openLab(t);
  await write(lab, 's', [started('t1'), output, long]);
  await limit(lab, { total: 1_500, isOpen: () => true });
  const path = fileOf(lab, 's');
  const before = await readFile(path, 'utf8');
  assert.doesNotMatch(before, /a line/);
  const { readFile: read } = fs.promises;
  let opened = 0;
  const { open } = fs.promises;
  mock.method(fs.promises, 'open', async (...args: Parameters<typeof open>) => {
    const file = await open(...args);
    const whole = file.readFile.bind(file);
    file.readFile = ((...rest: []) => {
      opened++;
      return whole(...rest);
    }) as typeof file.readFile;
    return file;
  });
  syncBuiltinESMExports();
  fail('rm', path);
  await limit(lab, { total: before.length - 1 });
  restore();
  assert.equal(opened, 0);
  assert.equal(await read(path, 'utf8'), before);
});

it('what a program that was killed left beside the file of a conversation is removed, and nothing else', async (t) => {
  const lab = await openLab(t);
  await write(lab, 's', [started('t1'), long]);
  const path = journalPath(lab.directory, 's');
  const unfinished = `${path}.0d1f0a52-6b5c-4f0e-9d3b-5a2f6f6f7a01.new`;
  const other = join(lab.directory, 'notes.new');
  await writeFile(unfinished, 'half of it');
  await writeFile(other, 'not ours');
  await limit(lab, { total: 1e9 });
  assert.deepEqual(await lab.files(), [other, path]);
});

describe('a file with an error', () => {
  it('if its size cannot be read, its conversation stays unchanged, and the others keep to the limits', async (t) => {
    const lab = await openLab(t);
    for (const id of ['bad', 'good']) await write(lab, id, [started('t1'), long]);
    fail('stat', fileOf(lab, 'bad'));
    await limit(lab, { total: 100 });
    assert.deepEqual(await lab.files(), [fileOf(lab, 'bad')]);
    assert.deepEqual(warned(lab), ['Could not read the size of the file of a conversation']);
  });

  it('if it cannot be read, it keeps its tool output, and other files lose theirs', async (t) => {
    const lab = await openLab(t);
    for (const id of ['bad', 'good']) await write(lab, id, [started('t1'), output]);
    const before = await readFile(fileOf(lab, 'bad'), 'utf8');
    fail('open', fileOf(lab, 'bad'));
    await limit(lab, { total: before.length + 1_000 });
    restore();
    assert.equal(await readFile(fileOf(lab, 'bad'), 'utf8'), before);
    const { events = [] } = (await readAll(lab.store, 'good')) ?? {};
    assert.ok(events.some((event) => event.type === 'host_notice' && event.code === 'tool_output_removed'));
    assert.deepEqual(warned(lab), ['Could not shorten the file of a conversation']);
  });

  it('if it cannot be removed, its conversation stays, and the next conversation is removed', async (t) => {
    const lab = await openLab(t);
    await write(lab, 'bad', [started('t1'), ...Array<SessionEvent>(9).fill(long)]);
    const kept = await lab.files();
    await write(lab, 'good', [started('t1'), long]);
    fail('rm', fileOf(lab, 'bad'));
    const removed: string[] = [];
    await limit(lab, { total: 100, onRemoved: (_, ids) => removed.push(...ids) });
    assert.deepEqual([await lab.files(), removed], [kept, ['good']]);
    assert.deepEqual(warned(lab), ['Could not remove the file of a conversation']);
  });
});

function limit(lab: JournalLab, o: { readonly total: number } & Partial<Pick<RetentionOptions, 'isOpen' | 'onRemoved'>>): Promise<void> {
  const say = (message: string): void => void lab.logged.push(message);
  return keepWithinLimits({
    directory: lab.directory,
    limits: { perSessionBytes: 1e9, totalBytes: o.total },
    log: { ...nullLogger, info: say, warn: (message, ...facts) => say(`${message} ${JSON.stringify(facts[0])}`) },
    isOpen: o.isOpen ?? (() => false),
    alone: (_, work) => work(),
    onRemoved: o.onRemoved ?? (() => {}),
  });
}

/** Returns whether a conversation is open. One is resumed at the first call. */
function openOnceAsked(id: string): (asked: string) => boolean {
  let times = 0;
  return (asked) => asked === id && times++ > 0;
}

/** The file of a conversation. */
function fileOf(lab: JournalLab, id: string): string {
  return journalPath(lab.directory, id);
}

/** The warnings in the log that name the file of the conversation `bad`. */
function warned(lab: JournalLab): readonly string[] {
  const path = JSON.stringify({ path: fileOf(lab, 'bad') });
  return lab.logged.flatMap((line) => (line.endsWith(` ${path}`) ? [line.slice(0, -path.length - 1)] : []));
}

/** Makes one kind of file system call fail for a file from now on. */
function fail(name: 'open' | 'rm' | 'stat', path: string): void {
  const original = fs.promises[name] as (...args: readonly unknown[]) => Promise<unknown>;
  mock.method(fs.promises, name, async (...args: readonly unknown[]) => {
    if (args[0] === path) throw Object.assign(new Error('i/o error'), { code: 'EIO' });
    return original(...args);
  });
  syncBuiltinESMExports();
}
