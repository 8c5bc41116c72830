import assert from 'node:assert/strict';
import { stat, utimes } from 'node:fs/promises';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { nullLogger } from '../../../src/core/base/logger.js';
import { journalPath } from '../../../src/core/journal/journalFormat.js';
import { keepWithinLimits, type RemovedConversations } from '../../../src/core/journal/journalLimits.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import type { SessionState } from '../../../src/core/session/model.js';
import { emptySession, reduceAll } from '../../../src/core/session/reducer.js';
import { standingOf } from '../../../src/core/session/stateAsEvents.js';
import { anyEvent } from '../session/arbitraryEvents.js';
import { chunk, ended, header, type JournalLab, lastState, openLab, openWriter, readable, readAll, started, write } from './journalLab.js';

const empty = (sessionId: string): SessionState => emptySession(sessionId, '/workspace', 1);
const kilobyte = (index: number): SessionEvent => chunk(`${index} `.padEnd(900, '.'), 10 + index);
const kilobytes = (count: number, first = 0): SessionEvent[] => Array.from({ length: count }, (_, index) => kilobyte(first + index));

function settings(events: readonly SessionEvent[]): unknown {
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
}

async function sizeOf({ files }: JournalLab): Promise<number> {
  const sizes = await Promise.all((await files()).map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

describe('a conversation', () => {
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

  it('wherever it loses its beginning, what is left has the same settings, and what runs, waits and is asked goes on', async (t) => {
    const lab = await openLab(t);
    let conversations = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyEvent, { minLength: 2, maxLength: 30 }), fc.nat(4_000), async (events, limitBytes) => {
        const id = `s${++conversations}`;
        const writer = openWriter(lab, id);
        for (const event of events) writer.append({ session: header(id), event, line: () => `${JSON.stringify(event)}\n` });
        await writer.close();
        await keepWithinLimits({
          directory: lab.directory,
          limits: { perSessionBytes: limitBytes, totalBytes: 1e9 },
          log: nullLogger,
          isOpen: () => false,
          alone: (_, work) => work(),
          onRemoved: () => {},
        });
        assert.deepEqual(settings((await readAll(lab.store, id))?.events ?? []), settings(events));
      }),
      { numRuns: 100 },
    );
  });

  it('so it is if only what stands at its end is left', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
        assert.deepEqual(settings(standingOf(reduceAll(empty('s'), events))), settings(events));
      }),
      { numRuns: 500 },
    );
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
      await utimes(journalPath(directory, id), then, then);
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
    // Once it is closed, its own limit applies.
    for (let more = 0; await isListed(); more++) {
      assert.ok(more < 100, lab.logged.join('\n'));
      await grow(1);
    }
    await open.close();
    const removed = lab.logged.findIndex((line) => line.includes('least recently used conversation'));
    const shortened = lab.logged.findIndex((line) => line.includes('Removed the beginning of a conversation'));
    assert.ok(removed >= 0 && (shortened < 0 || removed < shortened), lab.logged.join('\n'));
  });
});
