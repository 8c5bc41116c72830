/** Two processes may write the same journal if one of them was silent and passed over: the file must show which of them wrote a line. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatHead, LineParser } from '../../../src/core/journal/journalFormat.js';
import { readConversation } from '../../../src/core/journal/journalStore.js';
import { ToolLineReader } from '../../../src/core/journal/toolLines.js';
import { bytesOfWholeLines, formatWriter, linesByWriter, newWriter } from '../../../src/core/journal/writerLines.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import type { SessionState } from '../../../src/core/session/model.js';
import { emptySession, reduceAll } from '../../../src/core/session/reducer.js';
import { anyEvent } from '../session/arbitraryEvents.js';
import { chunk, ended, header, openLab, readAll, started } from './journalLab.js';

/** Which writer writes how much next. The disk may accept only a part of it, and the rest is written with that writer's next step. */
interface Write {
  readonly writer: number;
  readonly lines: number;
  readonly takes: number;
}

const anyWrite = fc.record({
  writer: fc.integer({ min: 0, max: 2 }),
  lines: fc.integer({ min: 1, max: 4 }),
  takes: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
});

/** The content of the file, and the lines of each writer in the order in which they began. */
function writeAll(writes: readonly Write[]): { readonly text: string; readonly said: readonly SessionEvent[] } {
  const marks = [newWriter(), newWriter(), newWriter()].map(formatWriter);
  const saidBy = new Map<number, SessionEvent[]>();
  const left = [Buffer.alloc(0), Buffer.alloc(0), Buffer.alloc(0)];
  let text = formatHead({ ...header('s'), offsetBytes: 0 });
  const attempt = (writer: number, takes: number): void => {
    const mark = Buffer.from(marks[writer] ?? '');
    const own = left[writer] ?? Buffer.alloc(0);
    if (own.length === 0) return;
    const taken = Math.floor(takes * (mark.length + own.length));
    text += Buffer.concat([mark, own]).subarray(0, taken).toString('latin1');
    left[writer] = own.subarray(bytesOfWholeLines(own, taken - mark.length));
  };
  const begun: number[] = [];
  for (const { writer, lines, takes } of writes) {
    const events = Array.from({ length: lines }, (_, index) => chunk(`${writer} ${saidBy.get(writer)?.length ?? 0} ${index}`));
    saidBy.set(writer, [...(saidBy.get(writer) ?? []), ...events]);
    left[writer] = Buffer.concat([
      left[writer] ?? Buffer.alloc(0),
      Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join('')),
    ]);
    attempt(writer, takes);
    if (!begun.includes(writer) && text.includes((marks[writer] ?? '').trim())) begun.push(writer);
  }
  for (const writer of [...begun, 0, 1, 2]) attempt(writer, 1);
  const order = [...new Set([...begun, 0, 1, 2])];
  return { text, said: order.flatMap((writer) => saidBy.get(writer) ?? []) };
}

const cutTwiceAtOnePlace: Write[] = [
  { writer: 2, lines: 3, takes: 0 },
  { writer: 2, lines: 1, takes: 0.074 },
  { writer: 2, lines: 2, takes: 0.0505 },
];

describe('lines of several writers in one file', () => {
  it('they are read completely and once, grouped by writer, wherever a write was cut off', () => {
    fc.assert(
      fc.property(fc.array(anyWrite, { maxLength: 25 }), (writes) => {
        const { text, said } = writeAll(writes);
        const [own = []] = linesByWriter([text.split('\n')]);
        const parser = new LineParser(own, new ToolLineReader());
        assert.deepEqual([[...parser.events()], parser.dropped], [said, 0]);
      }),
      { numRuns: 500, examples: [[cutTwiceAtOnePlace]] },
    );
  });
});

const empty = emptySession('s', '/workspace', 1);

describe('journals that several processes have open', () => {
  it('they return the events of each process in turn, also over several files and while they are followed', async (t) => {
    const batch = fc.array(anyEvent, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.integer({ min: 0, max: 2 }), batch), { minLength: 1, maxLength: 10 }), async (batches) => {
        const limits = { perSessionBytes: 16_000, totalBytes: 10_000_000 };
        const labs = [await openLab(t, { limits })];
        for (let index = 0; index < 2; index++) labs.push(await openLab(t, { limits, directory: labs[0]?.directory ?? '' }));
        const journals = labs.map(({ store }) => store.open(header('s')));
        const tail = labs[0]?.store.tail('agent', 's');
        const said = new Map<number, SessionEvent[]>();
        for (const [writer, events] of batches) {
          const own = said.get(writer) ?? [started('t1', `by ${writer}`)];
          journals[writer]?.append(said.has(writer) ? events : [...own, ...events]);
          said.set(writer, [...own, ...events]);
          await journals[writer]?.flush();
          const expected = reduceAll(empty, [...said.values()].flat());
          assert.deepEqual(atRest(await tail?.read()), atRest(expected));
        }
        await Promise.all(journals.map((journal) => journal.close()));
        const [lab] = labs;
        assert.deepEqual(lab && (await readConversation(lab.store, 'agent', 's')), atRest(reduceAll(empty, [...said.values()].flat())));
      }),
      { numRuns: 40 },
    );
  });

  it('they continue in the file that another process has begun', async (t) => {
    const limits = { perSessionBytes: 16_000, totalBytes: 10_000_000 };
    const lab = await openLab(t, { limits });
    const one = lab.store.open(header('s'));
    const other = (await openLab(t, { limits, directory: lab.directory })).store.open(header('s'));
    one.append([started('t1')]);
    await one.flush();
    other.append([chunk('of the other')]);
    await other.flush();
    for (const text of ['long '.repeat(1_000), 'in the next file']) {
      one.append([chunk(text)]);
      await one.flush();
    }
    other.append([chunk('goes on')]);
    await Promise.all([one.close(), other.close()]);
    const texts = await Promise.all((await lab.files()).map((file) => readFile(file, 'utf8')));
    assert.equal(texts.length, 2);
    assert.equal(texts.find((text) => text.includes('goes on'))?.includes('in the next file'), true);
  });

  it("they keep the late output of a suspended process in its own turn, and the other process's turn is complete", async (t) => {
    const lab = await openLab(t);
    const frozen = lab.store.begin(header('s'));
    frozen.append([started('t1', 'by one'), chunk('before ')]);
    await frozen.flush();
    const { store } = await openLab(t, { directory: lab.directory });
    const taker = store.open(header('s'));
    taker.append([{ type: 'opened', at: 4, cwd: '/workspace', by: 'loaded' }, started('t2', 'by two'), chunk('half ')]);
    await taker.flush();
    frozen.append([chunk('and after'), ended('t1')]);
    await frozen.close();
    taker.append([chunk('and half'), ended('t2')]);
    await taker.close();
    const texts = (await readConversation(store, 'agent', 's'))?.items.flatMap((item) =>
      item.kind === 'message' ? item.content.map((block) => (block.type === 'text' ? block.text : '')) : [item.kind],
    );
    assert.deepEqual(texts, ['by one', 'before and after', 'turn_end', 'by two', 'half and half', 'turn_end']);
  });

  it('once they are sealed, they write nothing but what was queued before', async (t) => {
    const lab = await openLab(t, { beforeWrite: () => sealsNow && journal.seal(3) });
    let sealsNow = false;
    const journal = lab.store.begin(header('s'));
    journal.append([started('t1')]);
    await journal.flush();
    sealsNow = true;
    journal.append([chunk('in time', 3), chunk('late', 4)]);
    await journal.flush();
    sealsNow = false;
    journal.append([chunk('later', 3)]);
    await journal.close();
    assert.deepEqual((await readAll(lab.store, 'agent', 's'))?.events, [started('t1'), chunk('in time', 3)]);
    assert.deepEqual(lab.told, []);
  });
});

/** Nothing runs any more. */
function atRest(state: SessionState | undefined): SessionState | undefined {
  return state && reduceAll(state, [{ type: 'opened', at: 9, cwd: state.cwd, by: 'loaded' }]);
}
