import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { nullLogger } from '../../../src/core/base/logger.js';
import { Redactor } from '../../../src/core/base/redact.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import { formatVersion, journalPath, type SessionHeader } from '../../../src/core/journal/journalFormat.js';
import { createJournalStore, type JournalStore } from '../../../src/core/journal/journalStore.js';
import { emptySession, reduceAll } from '../../../src/core/session/reducer.js';
import type { SessionState } from '../../../src/core/session/model.js';
import { anyEvent } from '../session/arbitraryEvents.js';
import { anyTypedEvent } from '../session/eventsByType.js';
import { header, lastState, readAll } from './journalLab.js';

const started: SessionEvent = { type: 'turn_started', at: 1, turnId: 't1', content: [{ type: 'text', text: 'hello' }] };
const chunk = (text: string): SessionEvent => ({ type: 'message', at: 2, role: 'agent', content: { type: 'text', text } });
const ended: SessionEvent = { type: 'turn_ended', at: 3, turnId: 't1', outcome: { type: 'ended', stopReason: 'end_turn', silent: false } };

describe('journal', () => {
  let directory = '';
  let store: JournalStore;
  let conversations = 0;
  const freshId = (): string => `c${++conversations}`;
  /** The only session of a conversation. */
  const sessionOf = (id: string): SessionHeader => header(`session of ${id} / with \n anything`);
  const emptyOf = (id: string): SessionState => emptySession(sessionOf(id).sessionId, '/workspace', 1, sessionOf(id).id);

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'journal-'));
    store = createJournalStore({ directory, redactor: new Redactor(), log: nullLogger });
  });
  after(() => rm(directory, { recursive: true }));

  /** Returns the path of the file. */
  async function write(id: string, events: readonly SessionEvent[]): Promise<string> {
    const journal = store.open(id, sessionOf(id), false);
    journal.append(events);
    await journal.close();
    return journalPath(directory, id);
  }

  it('it returns all events unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyEvent, { maxLength: 20 }), async (events) => {
        const id = freshId();
        await write(id, [started, ...events]);
        const kept = await readAll(store, id);
        // Adjacent chunks of a text may be split at different places.
        const empty = emptyOf(id);
        assert.deepEqual(reduceAll(empty, kept?.events ?? []), reduceAll(empty, [started, ...events]));
      }),
      { numRuns: 25 },
    );
  });

  it('what a write left behind that failed and could not be taken back stands once after the next attempt', async () => {
    const id = freshId();
    const journal = store.open(id, sessionOf(id), true);
    journal.append([started, chunk('one ')]);
    await journal.flush();
    await appendFile(journalPath(directory, id), `${JSON.stringify(chunk('two '))}\n{"type":"mess`);
    journal.append([chunk('two ')]);
    await journal.close();
    const { events = [], dropped } = (await readAll(store, id)) ?? {};
    assert.deepEqual([events, dropped], [[started, chunk('one '), chunk('two ')], 0]);
  });

  it('what follows the removal of a conversation can be read', async () => {
    const id = freshId();
    const journal = store.open(id, sessionOf(id), true);
    journal.append([started]);
    await journal.flush();
    await store.remove(id);
    journal.append([chunk('after')]);
    await journal.close();
    assert.deepEqual((await readAll(store, id))?.events, [chunk('after')]);
  });

  /** The end of the output may begin a secret, and waits while the call ends. */
  const clockSetBack: SessionEvent[] = [
    { type: 'tool', at: 1, id: 'a', toolCallId: 'a', patch: { status: 'in_progress', rawOutput: ['A'] } },
    { type: 'tool', at: 0, id: 'a', toolCallId: 'a', patch: { status: 'rejected', content: [] } },
  ];

  /** The steps of a sub-agent change no plan, also if they come with a text. */
  const stepsOfSubagent: SessionEvent[] = [
    { type: 'plan', at: 1, entries: [{ content: 'A', priority: 'high', status: 'pending' }], text: { markdown: 'A' }, subagentId: 's' },
    { type: 'plan', at: 2, entries: [], text: { markdown: 'B' }, subagentId: 's' },
    { type: 'plan', at: 3, entries: [], text: { markdown: 'C' } },
  ];

  it('every event that the types allow is written and read back to the same state, without a damaged line', async () => {
    const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
    await fc.assert(
      fc.asyncProperty(fc.array(anyTypedEvent, { maxLength: 20 }), async (events) => {
        const id = freshId();
        await write(id, [started, ...events]);
        const kept = await readAll(store, id);
        assert.equal(kept?.dropped, 0);
        const empty = emptyOf(id);
        assert.deepEqual(asJson(reduceAll(empty, kept.events)), asJson(reduceAll(empty, [started, ...events])));
      }),
      { numRuns: 200, examples: [[clockSetBack], [stepsOfSubagent]] },
    );
  });

  it('the end of a plan stays behind the text before it, of which the end may begin a secret', async () => {
    const id = freshId();
    const plan = (entries: readonly string[]): SessionEvent => ({
      type: 'plan',
      at: 2,
      entries: entries.map((content) => ({ content, priority: 'medium', status: 'completed' })),
    });
    const events = [started, plan(['all']), chunk('A'), plan([])];
    await write(id, [...events, ended]);
    assert.deepEqual(await lastState(store, id), reduceAll(emptyOf(id), [...events, ended]));
  });

  it('it continues where an earlier host stopped', async () => {
    const id = freshId();
    await write(id, [started, chunk('a')]);
    await write(id, [chunk('b'), ended]);
    const expected = reduceAll(emptyOf(id), [started, chunk('a'), chunk('b'), ended]);
    assert.deepEqual(await lastState(store, id), expected);
  });

  it('it saves a notice about a conversation that was only loaded, as the user saw it', async () => {
    const id = freshId();
    const forgot: SessionEvent = {
      type: 'host_notice',
      at: 5,
      severity: 'warning',
      code: 'recall_tail_lost',
      params: { prompts: 1, since: 'a' },
    };
    await write(id, [started, chunk('a'), ended]);
    const loaded: SessionEvent = { type: 'opened', at: 4, cwd: '/workspace', by: 'loaded' };
    await write(id, [loaded, forgot]);
    assert.deepEqual((await lastState(store, id))?.items.at(-1)?.kind, 'notice');
  });

  it('it creates no file for a session without messages', async () => {
    const count = (await readdir(directory)).length;
    await write(freshId(), [{ type: 'opened', at: 1, cwd: '/workspace', by: 'new' }]);
    assert.equal((await readdir(directory)).length, count);
  });

  it('it drops an incomplete last line, which is gone once something follows, and later lines are intact', async () => {
    const id = freshId();
    const file = await write(id, [started, chunk('torn')]);
    await truncate(file, (await readFile(file)).length - 5);
    const torn = await readAll(store, id);
    assert.deepEqual([torn?.events, torn?.dropped], [[started], 1]);
    await write(id, [chunk('after')]);
    const content = await readAll(store, id);
    assert.deepEqual([content?.events, content?.dropped], [[started, chunk('after')], 0]);
  });

  it('it counts foreign lines and continues reading', async () => {
    const id = freshId();
    const file = await write(id, [started]);
    await appendFile(file, 'not json\n{"type":"unknown"}\n[1]\n{"type":"message","at":1,"role":"agent","content":{"type":"text"}}\n');
    await write(id, [chunk('more'), ended]);
    const content = await readAll(store, id);
    assert.deepEqual([content?.events, content?.dropped], [[started, chunk('more'), ended], 4]);
  });

  it('it reports a file from a newer version and leaves it unchanged', async () => {
    const id = freshId();
    const file = await write(id, [started]);
    const newer = (await readFile(file, 'utf8')).replace(`"version":${formatVersion}`, `"version":${formatVersion + 1}`);
    await writeFile(file, newer);
    await assert.rejects(readAll(store, id), { code: 'storage_failed', message: /unreadable_version/ });
    assert.equal(await readFile(file, 'utf8'), newer);
  });

  it('it contains no secrets', async () => {
    const id = freshId();
    const file = await write(id, [started, chunk('key sk-live_0123456789abcdef and Authorization: Bearer abcdefghijklmnop')]);
    const kept = await readFile(file, 'utf8');
    assert.doesNotMatch(kept, /0123456789abcdef|abcdefghijklmnop/);
  });

  it('it shows a turn without an end as interrupted', async () => {
    const id = freshId();
    await write(id, [started, chunk('half an ans')]);
    const state = await lastState(store, id);
    const last = state?.items.at(-1);
    assert.ok(last?.kind === 'turn_end' && last.outcome.type === 'interrupted');
    assert.equal(state?.turn.type, 'idle');
  });

  it('it reports once that it cannot be written, and the conversation continues', async () => {
    const file = join(directory, 'a-file');
    await writeFile(file, '');
    const told: unknown[] = [];
    const blocked = createJournalStore({
      directory: join(file, 'below'),
      redactor: new Redactor(),
      log: nullLogger,
      onError: (error) => told.push(error.code),
    });
    const journal = blocked.open('s', header('s'), true);
    journal.append([started]);
    journal.append([ended]);
    await journal.close();
    assert.deepEqual(told, ['storage_failed']);
  });

  it('it saves nothing after its end', async () => {
    const id = freshId();
    const journal = store.open(id, sessionOf(id), false);
    journal.append([started]);
    await journal.close();
    journal.append([ended]);
    await journal.flush();
    await journal.close();
    assert.deepEqual((await readAll(store, id))?.events, [started]);
  });
});
