/** The retention while conversations are used. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { appendFile, readFile, stat, truncate } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, describe, it, mock } from 'node:test';
import { nullLogger } from '../../../src/core/base/logger.js';
import { keepWithinLimits, removeToolOutput, type RetentionOptions, segmentPath } from '../../../src/core/journal/journalFiles.js';
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

  it('it keeps its remaining files', async (t) => {
    const lab = await openLab(t, { limits: { perSessionBytes: 20_000 } });
    await write(lab, 's', [started('t1'), ...Array<SessionEvent>(9).fill(long)]);
    const files = await lab.files();
    assert.ok(files.length > 3, `${files.length} files`);
    const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
    const total = sizes.reduce((sum, size) => sum + size) - 1;
    const first = fileOf(lab, 's');
    const removed: string[] = [];
    await limit(lab, { total, isOpen: () => !fs.existsSync(first), onRemoved: (_, ids) => removed.push(...ids) });
    assert.deepEqual([await lab.files(), removed], [files.filter((file) => file !== first), []]);
    assert.ok(lab.logged.some((line) => line.includes('Removed the beginning of a conversation')));
  });

  it('it keeps the tool output in the file in which it continues', async (t) => {
    const lab = await openLab(t);
    await write(lab, 's', [started('t1'), output]);
    const [path = ''] = await lab.files();
    const before = await readFile(path, 'utf8');
    await limit(lab, { total: 3_000, isOpen: openOnceAsked('s') });
    assert.equal(await readFile(path, 'utf8'), before);
  });

  it('it keeps a line that is written while tool output is being removed', async (t) => {
    const lab = await openLab(t);
    await write(lab, 's', [started('t1'), output]);
    const [path = ''] = await lab.files();
    const { writeFile } = fs.promises;
    const line = `${JSON.stringify(chunk('written meanwhile'))}\n`;
    mock.method(fs.promises, 'writeFile', async (...args: Parameters<typeof writeFile>) => {
      await appendFile(path, line);
      return writeFile(...args);
    });
    syncBuiltinESMExports();
    const before = await readFile(path, 'utf8');
    assert.equal(await removeToolOutput(path), 0);
    assert.equal(await readFile(path, 'utf8'), before + line);
    assert.deepEqual(await lab.files(), [path]);
  });

  it('it keeps its file if it is opened during the removal of tool output, before anything is written', async (t) => {
    const lab = await openLab(t);
    await write(lab, 's', [started('t1'), output]);
    const [path = ''] = await lab.files();
    const before = await stat(path);
    let isOpen = false;
    await limit(lab, { total: 3_000, isOpen: () => (isOpen ||= fs.readdirSync(lab.directory).length > 1) });
    assert.ok(isOpen, 'the new file was seen');
    assert.equal((await stat(path)).ino, before.ino);
    assert.deepEqual(await lab.files(), [path]);
  });
});

it('of a file whose tool output was already removed, only the beginning is read', async (t) => {
  const lab = await openLab(t);
  await write(lab, 's', [started('t1'), output]);
  const path = fileOf(lab, 's');
  assert.ok((await removeToolOutput(path)) > 0);
  // Too long to be read.
  await truncate(path, 1024 ** 3);
  assert.equal(await removeToolOutput(path), 0);
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
    assert.deepEqual(warned(lab), ['Could not remove tool output from the file of a conversation']);
  });

  it('if it cannot be removed, the rest of its conversation stays, and the next conversation is removed', async (t) => {
    const lab = await openLab(t, { limits: { perSessionBytes: 20_000 } });
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
    onRemoved: o.onRemoved ?? (() => {}),
  });
}

/** Returns whether a conversation is open. One is resumed at the first call. */
function openOnceAsked(id: string): (asked: string) => boolean {
  let times = 0;
  return (asked) => asked === id && times++ > 0;
}

/** The first file of a conversation. */
function fileOf(lab: JournalLab, id: string): string {
  return segmentPath(lab.directory, id, 1);
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
