import assert from 'node:assert/strict';
import { readFile, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { SessionEvent } from '../../../src/core/session/event.js';
import { listSegments, type RemovedConversations, segmentPath } from '../../../src/core/journal/journalFiles.js';
import { readJournal } from '../../../src/core/journal/journalRead.js';
import type { SessionState } from '../../../src/core/session/model.js';
import { emptySession, reduceAll } from '../../../src/core/session/reducer.js';
import { checkpointAfter } from '../../../src/core/journal/checkpoint.js';
import { formatHead, formatSession, parseLasting } from '../../../src/core/journal/journalFormat.js';
import { anyEvent } from '../session/arbitraryEvents.js';
import {
  chunk,
  ended,
  header,
  type JournalLab,
  lastState,
  openLab,
  openSmallWriter,
  readAll,
  started,
  readable,
  takeAll,
  write,
} from './journalLab.js';

const empty = (sessionId: string): SessionState => emptySession(sessionId, '/workspace', 1);
const kilobyte = (index: number): SessionEvent => chunk(`${index} `.padEnd(900, '.'), 10 + index);
const kilobytes = (count: number, first = 0): SessionEvent[] => Array.from({ length: count }, (_, index) => kilobyte(first + index));

async function sizeOf({ files }: JournalLab): Promise<number> {
  const sizes = await Promise.all((await files()).map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

describe('a conversation in several files', () => {
  it('it is read as one conversation', async (t) => {
    const lab = await openLab(t, { limits: { perSessionBytes: 100_000 } });
    const events = [started('t1'), ...kilobytes(60), ended('t1')];
    await write(lab, 's', events);
    assert.ok((await lab.files()).length > 3);
    assert.deepEqual((await readAll(lab.store, 's'))?.events, events);
    assert.deepEqual(await readable(lab), ['s']);
  });

  it('for any file boundaries, it has the same state', async (t) => {
    const lab = await openLab(t);
    let conversations = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyEvent, { maxLength: 12 }), async (events) => {
        const id = `s${++conversations}`;
        const session = header(id);
        const all = [started('t0'), ...events];
        const open: SessionEvent = { type: 'opened', at: all.at(-1)?.at ?? 1, cwd: '/workspace', by: 'loaded' };
        const writer = openSmallWriter(lab, id);
        for (const event of all) {
          writer.append([{ session, event, line: () => `${JSON.stringify(event)}\n` }]);
          await writer.flush();
        }
        await writer.close();
        assert.deepEqual(await lastState(lab.store, id), reduceAll(empty(id), [...all, open]));
      }),
      { numRuns: 25 },
    );
  });

  it('beyond its limit it loses its beginning, says so, and keeps earlier state', async (t) => {
    const lab = await openLab(t, { limits: { perSessionBytes: 40_000, totalBytes: 40_000 } });
    const settings: SessionEvent[] = [
      { type: 'info', at: 1, title: 'A long story' },
      { type: 'commands', at: 1, commands: [{ name: 'help', description: 'Help' }] },
      {
        type: 'options',
        at: 1,
        options: [
          {
            type: 'select',
            id: 'mode',
            name: 'Mode',
            category: 'mode',
            currentValue: 'b',
            choices: [
              { value: 'a', name: 'A' },
              { value: 'b', name: 'B' },
            ],
          },
        ],
      },
    ];
    const tool: SessionEvent = {
      type: 'tool',
      at: 1,
      id: 'x',
      toolCallId: 'c',
      patch: { title: 'Build', toolKind: 'execute', status: 'in_progress' },
    };
    await write(lab, 's', [...settings, started('t1'), tool, ...kilobytes(100)]);
    assert.ok((await sizeOf(lab)) < 50_000, `${await sizeOf(lab)} bytes`);
    const content = await readAll(lab.store, 's');
    const [notice] = content?.events ?? [];
    assert.ok(notice?.type === 'host_notice' && notice.code === 'beginning_removed');
    assert.ok(notice.params.bytes > 50_000 && notice.params.bytes < 150_000, `${notice.params.bytes} bytes`);
    const state = reduceAll(empty('s'), content?.events ?? []);
    assert.deepEqual(
      [state.title, state.commands.length, state.options[0]?.currentValue, state.turn.type],
      ['A long story', 1, 'b', 'running'],
    );
    assert.deepEqual(
      state.items.map((item) => (item.kind === 'tool' ? `${item.title} ${item.status}` : item.kind)),
      ['notice', 'Build in_progress', 'message'],
    );
    const last = state.items.at(-1);
    assert.ok(last?.kind === 'message' && last.content[0]?.type === 'text' && last.content[0].text.includes('99 ...'));
    assert.ok(lab.logged.some((line) => line.includes('Removed the beginning of a conversation')));
  });

  it('it also says so if the beginning is removed while it is read', async (t) => {
    const lab = await openLab(t, { limits: { perSessionBytes: 40_000, totalBytes: 40_000 } });
    await write(lab, 's', [started('t1'), ...kilobytes(20), ended('t1')]);
    const [files = []] = [...(await listSegments(lab.directory)).values()];
    await unlink(files[0]?.path ?? '');
    const content = (await readJournal(files)) ?? assert.fail('nothing is left');
    const [first] = takeAll(content).events;
    assert.ok(first?.type === 'host_notice' && first.code === 'beginning_removed', JSON.stringify(first));
  });

  it('it names the gap if a file in the middle is missing or cannot be read', async (t) => {
    const lab = await openLab(t, { limits: { perSessionBytes: 80_000 } });
    await write(lab, 's', [started('t1'), ...kilobytes(45), ended('t1')]);
    const [, , second = ''] = await lab.files();
    assert.match(basename(second), /\.\d\.jsonl$/);
    await writeFile(second, 'scribbled over');
    const { events = [] } = (await readAll(lab.store, 's')) ?? {};
    const notices = events.flatMap((event) => (event.type === 'host_notice' ? [[event.code, event.params]] : []));
    assert.deepEqual(notices, [['part_unreadable', { path: second, why: 'foreign' }]]);
    assert.equal(await readFile(second, 'utf8'), 'scribbled over');
    assert.deepEqual(events.at(-1), ended('t1'));
  });
});

describe('all conversations together', () => {
  it('the least recently used one is removed, but never one that is open', async (t) => {
    const removals: (readonly [RemovedConversations, readonly string[]])[] = [];
    const lab = await openLab(t, { limits: { totalBytes: 30_000 }, onRemoved: (removed, ids) => removals.push([removed, [...ids]]) });
    // Removes nothing while it writes.
    const { directory } = lab;
    const spacious = await openLab(t, { directory });
    const anHour = 3_600_000;
    const age = async (id: string, hours: number): Promise<void> => {
      const then = (Date.now() - hours * anHour) / 1000;
      await utimes(segmentPath(directory, id, 1), then, then);
    };
    const open = lab.open('open');
    open.append([started('t1'), ...kilobytes(9)]);
    await open.flush();
    for (const id of ['old', 'older', 'recent']) await write(spacious, id, [started('t1'), ...kilobytes(9)]);
    await age('old', 2);
    await age('older', 3);
    await age('open', 9);
    await write(lab, 'new', [started('t1')]);
    assert.deepEqual([...(await readable(lab))].sort(), ['new', 'old', 'open', 'recent']);
    assert.ok(lab.logged.some((line) => line.includes('least recently used conversation')));
    await open.close();
    assert.deepEqual(
      removals.map(([{ conversations, totalBytes }, ids]) => [conversations, totalBytes, ids]),
      [[1, 30_000, ['older']]],
    );
    assert.ok(Math.abs((removals[0]?.[0].lastUsedAt ?? 0) - (Date.now() - 3 * anHour)) < 60_000);
  });

  it('one that was closed a moment ago is removed like others if there is no room', async (t) => {
    const lab = await openLab(t, { limits: { totalBytes: 15_000 } });
    for (const id of ['first', 'second', 'third']) await write(lab, id, [started('t1'), ...kilobytes(9)]);
    assert.equal((await readable(lab)).includes('first'), false);
    assert.equal((await readable(lab)).includes('third'), true);
  });
});

describe('the output of tools', () => {
  const output = (id: string, text: string, status: 'in_progress' | 'completed' = 'completed'): SessionEvent => ({
    type: 'tool',
    at: 2,
    id,
    toolCallId: id,
    patch: { title: `Run ${id}`, status, rawInput: { command: 'make' }, content: [{ type: 'content', content: { type: 'text', text } }] },
  });
  const turns = (count: number): SessionEvent[] =>
    Array.from({ length: count }, (_, turn) => [
      started(`t${turn}`, `prompt ${turn}`),
      output(`x${turn}`, `output of ${turn} `.repeat(120)),
      chunk(`answer ${turn}`),
      ended(`t${turn}`),
    ]).flat();
  const wordsOf = (state: SessionState): string[] =>
    state.items.flatMap((item) =>
      item.kind === 'message' ? item.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) : [],
    );

  it('it is removed before any messages, which stay complete, and this is reported', async (t) => {
    const lab = await openLab(t, { limits: { perSessionBytes: 40_000 } });
    await write(lab, 's', turns(61));
    const state = await lastState(lab.store, 's');
    assert.ok(state !== undefined);
    const words = Array.from({ length: 61 }, (_, turn) => [`prompt ${turn}`, `answer ${turn}`]).flat();
    assert.deepEqual(wordsOf(state), words);
    const [first] = state.items;
    assert.ok(first?.kind === 'notice' && 'code' in first && first.code === 'tool_output_removed' && first.params.bytes > 50_000);
    const tools = state.items.flatMap((item) => (item.kind === 'tool' ? [item] : []));
    assert.deepEqual([tools.length, tools[0]?.title, tools[0]?.status, tools[0]?.content], [61, 'Run x0', 'completed', []]);
    assert.ok((tools.at(-1)?.content.length ?? 0) > 0, 'the newest is still there');
    assert.ok((await sizeOf(lab)) < 60_000, `${await sizeOf(lab)} bytes`);
  });

  it('if it grows after a removal, the tool call only needs space for its output', async (t) => {
    const lab = await openLab(t, { limits: { perSessionBytes: 40_000 } });
    const journal = lab.open('s');
    journal.append([started('t1')]);
    for (let length = 1; length <= 30; length++) {
      journal.append([output('x', 'a line of output\n'.repeat(length * 100), 'in_progress')]);
      await journal.flush();
    }
    journal.append([output('x', 'all of it'), ended('t1')]);
    await journal.close();
    const state = await lastState(lab.store, 's');
    const tool = state?.items.find(({ kind }) => kind === 'tool');
    assert.ok(tool?.kind === 'tool' && tool.status === 'completed', JSON.stringify(tool));
  });

  it('that of other conversations is removed before them, and they before the beginning of the open one', async (t) => {
    const lab = await openLab(t, { limits: { perSessionBytes: 40_000, totalBytes: 120_000 } });
    await write(lab, 'old', turns(15));
    const open = lab.open('open');
    open.append([started('t1', 'the beginning')]);
    const grow = async (count: number): Promise<void> => {
      for (const event of kilobytes(count)) {
        open.append([event]);
        await open.flush();
      }
    };
    await grow(90);
    const isListed = async (): Promise<boolean> => (await readable(lab)).includes('old');
    for (let more = 0; !lab.logged.some((line) => line.includes('Removed tool output from a conversation')); more++) {
      assert.ok(more < 100, lab.logged.join('\n'));
      await grow(1);
    }
    assert.equal(await isListed(), true);
    const words = wordsOf((await lastState(lab.store, 'old')) ?? assert.fail('it is gone'));
    assert.equal(words.length, 30);
    await grow(30);
    await open.close();
    assert.equal(await isListed(), false);
    const removed = lab.logged.findIndex((line) => line.includes('least recently used conversation'));
    const shortened = lab.logged.findIndex((line) => line.includes('Removed the beginning of a conversation'));
    assert.ok(removed >= 0 && (shortened < 0 || removed < shortened), lab.logged.join('\n'));
  });
});

describe('the state at a file boundary', () => {
  it('it is the same with all events and with only the carried state', () => {
    const settings = (events: readonly SessionEvent[]): unknown => {
      const { title, plans, commands, options, usage, turn, requests, queue } = reduceAll(empty('s'), events);
      return [
        title,
        // A plan in Markdown is content: an item of the transcript.
        plans.filter(({ itemId }) => itemId === undefined),
        commands,
        options,
        usage,
        turn.type === 'idle' ? 'idle' : [turn.type, turn.turnId],
        requests.map(({ id }) => id),
        [...new Set(queue.map(({ id }) => id))].sort(),
      ];
    };
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
        assert.deepEqual(settings(checkpointAfter(events)), settings(events));
      }),
      { numRuns: 500 },
    );
  });

  it('it can be read from a file without its messages', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 40 }), fc.array(anyEvent, { maxLength: 10 }), (before, events) => {
        const standing = checkpointAfter(before);
        const head = formatHead({ id: 's', offsetBytes: 0 }) + formatSession(header('s'), standing);
        const lasting = parseLasting(head + events.map((event) => `${JSON.stringify(event)}\n`).join(''));
        assert.deepEqual(lasting.session, header('s'));
        assert.deepEqual(checkpointAfter(lasting.events), checkpointAfter([...standing, ...events]));
      }),
      { numRuns: 500 },
    );
  });
});
