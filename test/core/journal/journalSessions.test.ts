/** Conversations with several sessions. Agents that number their sessions from one in each process give the same id to all of them. */
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { afterEach, describe, it } from 'node:test';
import fc from 'fast-check';
import type { SessionEvent, ToolPatch } from '../../../src/core/session/event.js';
import { formatHead, formatSession, journalPath, type SessionHeader } from '../../../src/core/journal/journalFormat.js';
import { type Journal, readConversation } from '../../../src/core/journal/journalStore.js';
import type { SessionState } from '../../../src/core/session/model.js';
import { emptySession, reduceAll } from '../../../src/core/session/reducer.js';
import { anyEvent } from '../session/arbitraryEvents.js';
import {
  chunk,
  ended,
  header,
  type JournalLab,
  limitFiles,
  openLab,
  type ReadAll,
  readAll,
  started,
  write,
  openWriter,
} from './journalLab.js';

const first = header('s1', 10);
const second = header('s2', 20);
/** In each session, the turns are counted from one. */
const turn = (words: string): readonly SessionEvent[] => [started('t1', words), chunk(`about ${words}`), ended('t1')];
const kilobytes = (count: number): readonly SessionEvent[] =>
  Array.from({ length: count }, (_, index) => chunk(`${index} `.padEnd(900, '.')));
const titled = (title: string): SessionEvent => ({ type: 'info', at: 1, title });
const tool = (id: string, patch: ToolPatch): SessionEvent => ({ type: 'tool', at: 2, id, toolCallId: id, patch });
const opened: SessionEvent = { type: 'opened', at: 1, cwd: '/workspace', by: 'new' };

const open = ({ store }: JournalLab, session: SessionHeader, isNew = true): Journal => store.open('c', session, isNew);

/** Writes each event separately. */
async function keep(lab: JournalLab, session: SessionHeader, events: readonly SessionEvent[], isNew = true): Promise<void> {
  const journal = open(lab, session, isNew);
  await append(journal, events);
  await journal.close();
}

async function append(journal: Journal, events: readonly SessionEvent[]): Promise<void> {
  for (const event of events) {
    journal.append([event]);
    await journal.flush();
  }
}

async function sessionsIn({ store }: JournalLab, id = 'c'): Promise<ReadAll['sessions']> {
  const content = await readAll(store, id);
  assert.equal(content?.dropped, 0, 'lines that could not be read');
  return content.sessions;
}

/** What was seen in a session that is not open any more. */
function seen({ id, sessionId, cwd, createdAt }: SessionHeader, events: readonly SessionEvent[]): SessionState {
  return reduceAll(emptySession(sessionId, cwd, createdAt, id), [...events, { type: 'opened', at: createdAt, cwd, by: 'loaded' }]);
}

const noticesIn = (events: readonly SessionEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'host_notice' ? [event.code] : []));

describe('a conversation with several sessions', () => {
  for (const [what, ids] of [
    ['with an id each', ['s1', 's2', 's3']],
    ['with one id, which the agent reuses', ['s1', 's1', 's1']],
  ] as const)
    it(`${what}: each is read with its own events, oldest first`, async (t) => {
      const lab = await openLab(t);
      const sessions = ids.map((sessionId, index) => ({ ...header(sessionId, 10 + index), events: turn(`words ${index}`) }));
      for (const { events, ...session } of sessions) await keep(lab, session, events);
      assert.deepEqual(await sessionsIn(lab), sessions);
      assert.deepEqual(
        await readConversation(lab.store, 'c'),
        sessions.map((session) => seen(session, session.events)),
      );
      assert.deepEqual(await lab.files(), [journalPath(lab.directory, 'c')]);
    });

  it('one that is opened again goes on where it stopped, and does not count as another one', async (t) => {
    const lab = await openLab(t);
    await keep(lab, first, turn('first'));
    await keep(lab, second, [started('t1', 'second')]);
    await keep(lab, second, [chunk('late'), ended('t1')], false);
    assert.deepEqual(await sessionsIn(lab), [
      { ...first, events: turn('first') },
      { ...second, events: [started('t1', 'second'), chunk('late'), ended('t1')] },
    ]);
  });

  it('one without messages is not among them', async (t) => {
    const lab = await openLab(t);
    await keep(lab, first, turn('first'));
    await keep(lab, second, [opened, titled('Nothing yet')]);
    assert.deepEqual(await sessionsIn(lab), [{ ...first, events: turn('first') }]);
  });

  it('conversations are separate, even if their agents gave the same id to sessions that began at the same time', async (t) => {
    const lab = await openLab(t);
    const ids = ['one', 'two', 'three'];
    const journals = ids.map((id) => ({ id, journal: lab.store.open(id, first, true) }));
    for (const words of ['begin', 'go on']) for (const { journal } of journals) await append(journal, turn(words));
    for (const { id, journal } of journals) {
      journal.append([chunk(`of ${id}`)]);
      await journal.close();
    }
    for (const id of ids)
      assert.deepEqual(await sessionsIn(lab, id), [{ ...first, events: [...turn('begin'), ...turn('go on'), chunk(`of ${id}`)] }]);
  });

  it('a tool call of each may have the same id, also where its output grows', async (t) => {
    const lab = await openLab(t);
    const shows = (lines: number, words: string): SessionEvent =>
      tool('x', { content: [{ type: 'content', content: { type: 'text', text: `${words}\n`.repeat(lines) } }] });
    const events = (words: string): readonly SessionEvent[] => [
      started('t1', words),
      tool('x', { title: words, status: 'in_progress' }),
      ...Array.from({ length: 9 }, (_, index) => shows(10 * index, words)),
    ];
    const journals = [first, second].map((session) => open(lab, session));
    for (const [index, journal] of journals.entries()) await append(journal, events(`words ${index}`));
    for (const journal of journals) await journal.close();
    assert.deepEqual(
      await readConversation(lab.store, 'c'),
      [first, second].map((session, index) => seen(session, events(`words ${index}`))),
    );
  });
});

describe('a session behind which the next one has begun', () => {
  it('what the agent still reports in it is saved until the next one shows something, and not afterwards', async (t) => {
    const lab = await openLab(t);
    const [before, after] = [open(lab, first), open(lab, second)];
    before.append([started('t1', 'first')]);
    after.append([opened]);
    before.append([chunk('in time')]);
    after.append([started('t1', 'second')]);
    before.append([chunk('too late'), ended('t1')]);
    after.append([chunk('answer'), ended('t1')]);
    for (const journal of [before, after]) await journal.close();
    assert.deepEqual(await sessionsIn(lab), [
      { ...first, events: [started('t1', 'first'), chunk('in time')] },
      { ...second, events: [opened, started('t1', 'second'), chunk('answer'), ended('t1')] },
    ]);
  });

  it('what was held back of it belongs to it', async (t) => {
    const lab = await openLab(t);
    const [before, after] = [open(lab, first), open(lab, second)];
    // A second title within a second waits, and so does the end of a text that may begin a secret.
    const events = [started('t1'), titled('First'), titled('First and last'), chunk('the key is sk-liv')];
    before.append(events);
    after.append(turn('second'));
    for (const journal of [before, after]) await journal.close();
    assert.deepEqual(await readConversation(lab.store, 'c'), [seen(first, events), seen(second, turn('second'))]);
  });

  it('its end does not end the next one, nor let the retention take what is in use', async (t) => {
    const lab = await openLab(t, { limits: { totalBytes: 3_000 } });
    const [before, after] = [open(lab, first), open(lab, second)];
    before.append(turn('first'));
    after.append([started('t1', 'second'), ...kilobytes(5)]);
    await before.close();
    await write(lab, 'another', turn('elsewhere'));
    after.append([ended('t1')]);
    await after.close();
    assert.deepEqual(await sessionsIn(lab), [
      { ...first, events: turn('first') },
      { ...second, events: [started('t1', 'second'), ...kilobytes(5), ended('t1')] },
    ]);
  });

  it('if nothing was shown in it, what the agent then reports in it does not end the next one either', async (t) => {
    const lab = await openLab(t);
    const [before, after] = [open(lab, first), open(lab, second)];
    before.append([opened]);
    after.append([started('t1', 'second')]);
    before.append([chunk('too late')]);
    after.append([chunk('answer'), ended('t1')]);
    for (const journal of [before, after]) await journal.close();
    assert.deepEqual(await sessionsIn(lab), [{ ...second, events: [started('t1', 'second'), chunk('answer'), ended('t1')] }]);
  });
});

it('for any events, wherever the conversation is opened again, each session has the same state', async (t) => {
  const lab = await openLab(t);
  let conversations = 0;
  const anySession = fc.array(fc.record({ event: anyEvent, isReopened: fc.boolean() }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fc.array(anySession, { minLength: 1, maxLength: 4 }), async (told) => {
      const id = `c${++conversations}`;
      const sessions = told.map((steps, index) => ({ session: header('s1', index), steps }));
      let writer = openWriter(lab, id);
      for (const { session, steps } of sessions)
        for (const { event, isReopened } of steps) {
          if (isReopened) {
            await writer.close();
            writer = openWriter(lab, id);
          }
          writer.append({ session, event, line: () => `${JSON.stringify(event)}\n` });
          await writer.flush();
        }
      await writer.close();
      const expected = sessions.map(({ session, steps }) =>
        seen(
          session,
          steps.map(({ event }) => event),
        ),
      );
      assert.deepEqual(await readConversation(lab.store, id), expected);
    }),
    { numRuns: 50 },
  );
});

it('a conversation that loses its beginning loses whole sessions, and says so once', async (t) => {
  const lab = await openLab(t, { limits: { perSessionBytes: 40_000, totalBytes: 40_000 } });
  const events = [...turn('words'), ...kilobytes(14)];
  const times = [10, 20, 30, 40, 50, 60];
  for (const createdAt of times) await keep(lab, header('s1', createdAt), events);
  assert.ok(lab.logged.some((line) => line.includes('Removed the beginning of a conversation')));
  const sessions = await sessionsIn(lab);
  assert.ok(sessions.length > 1 && sessions.length < times.length, `${sessions.length} sessions`);
  assert.deepEqual(
    sessions.map(({ createdAt }) => createdAt),
    times.slice(-sessions.length),
  );
  assert.deepEqual(noticesIn(sessions.flatMap((session) => session.events)), ['beginning_removed']);
  assert.deepEqual(noticesIn(sessions[0]?.events.slice(0, 1) ?? []), ['beginning_removed']);
  for (const session of sessions.slice(1)) assert.deepEqual(session.events, events);
});

describe('a full disk', { skip: process.platform !== 'linux' && 'only Linux can limit the files of a running process' }, () => {
  afterEach(() => limitFiles('unlimited'));
  const name = formatSession(second);

  for (const which of ['first', 'second'] as const)
    it(`the name of the ${which} session may be cut off anywhere: it is complete, and no line counts as lost`, async (t) => {
      const lab = await openLab(t);
      const pathOf = (id: string): string => journalPath(lab.directory, id);
      const lost: string[] = [];
      for (let cut = 1; cut < name.length; cut += 6) {
        const id = `c${cut}`;
        const before = which === 'first' ? undefined : lab.store.open(id, first, true);
        if (before !== undefined) await append(before, turn('first'));
        const { size } = before === undefined ? { size: formatHead({ id }).length } : await stat(pathOf(id));
        const journal = lab.store.open(id, second, true);
        limitFiles(size + cut);
        journal.append(turn('second'));
        await journal.flush();
        limitFiles('unlimited');
        for (const one of [before, journal]) await one?.close();
        const content = await readAll(lab.store, id);
        const expected = which === 'first' ? [] : [{ ...first, events: turn('first') }];
        assert.deepEqual(content?.sessions, [...expected, { ...second, events: turn('second') }]);
        if (content.dropped > 0) lost.push(`${content.dropped} behind ${cut} bytes`);
      }
      assert.deepEqual(lost, []);
    });
});
