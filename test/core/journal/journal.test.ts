import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { nullLogger } from '../../../src/core/base/logger.js';
import { Redactor } from '../../../src/core/base/redact.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import { formatVersion } from '../../../src/core/journal/formatVersion.js';
import { createJournalStore, type JournalStore, readConversation } from '../../../src/core/journal/journalStore.js';
import { emptySession, reduceAll } from '../../../src/core/session/reducer.js';
import { anyEvent } from '../session/arbitraryEvents.js';
import { anyTypedEvent } from '../session/eventsByType.js';
import { readAll } from './journalLab.js';

const header = (sessionId: string) => ({ sessionId, agentId: 'agent', cwd: '/workspace', createdAt: 1 });
const started: SessionEvent = { type: 'turn_started', at: 1, turnId: 't1', content: [{ type: 'text', text: 'hello' }] };
const chunk = (text: string): SessionEvent => ({ type: 'message', at: 2, role: 'agent', content: { type: 'text', text } });
const ended: SessionEvent = { type: 'turn_ended', at: 3, turnId: 't1', outcome: { type: 'ended', stopReason: 'end_turn', silent: false } };

describe('journal', () => {
  let directory = '';
  let store: JournalStore;
  let sessions = 0;
  const freshId = (): string => `session ${++sessions} / with \n anything`;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'journal-'));
    store = createJournalStore({ directory, redactor: new Redactor(), log: nullLogger });
  });
  after(() => rm(directory, { recursive: true }));

  async function write(sessionId: string, events: readonly SessionEvent[]): Promise<string> {
    const names = new Set(await readdir(directory));
    const journal = store.open(header(sessionId));
    journal.append(events);
    await journal.close();
    return join(directory, (await readdir(directory)).find((name) => !names.has(name)) ?? '');
  }

  it('it returns all events unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyEvent, { maxLength: 20 }), async (events) => {
        const sessionId = freshId();
        await write(sessionId, [started, ...events]);
        const kept = await readAll(store, 'agent', sessionId);
        // Adjacent chunks of a text may be split at different places.
        const empty = emptySession(sessionId, '/workspace', 1);
        assert.deepEqual(reduceAll(empty, kept?.events ?? []), reduceAll(empty, [started, ...events]));
      }),
      { numRuns: 25 },
    );
  });

  it('every event that the types allow is written and read back to the same state, without a damaged line', async () => {
    const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
    await fc.assert(
      fc.asyncProperty(fc.array(anyTypedEvent, { maxLength: 20 }), async (events) => {
        const sessionId = freshId();
        await write(sessionId, [started, ...events]);
        const kept = await readAll(store, 'agent', sessionId);
        assert.equal(kept?.dropped, 0);
        const empty = emptySession(sessionId, '/workspace', 1);
        assert.deepEqual(asJson(reduceAll(empty, kept.events)), asJson(reduceAll(empty, [started, ...events])));
      }),
      { numRuns: 200 },
    );
  });

  it('the end of a plan stays behind the text before it, of which the end may begin a secret', async () => {
    const sessionId = freshId();
    const plan = (entries: readonly string[]): SessionEvent => ({
      type: 'plan',
      at: 2,
      entries: entries.map((content) => ({ content, priority: 'medium', status: 'completed' })),
    });
    const events = [started, plan(['all']), chunk('A'), plan([])];
    await write(sessionId, [...events, ended]);
    assert.deepEqual(
      await readConversation(store, 'agent', sessionId),
      reduceAll(emptySession(sessionId, '/workspace', 1), [...events, ended]),
    );
  });

  it('it continues where an earlier host stopped', async () => {
    const sessionId = freshId();
    await write(sessionId, [started, chunk('a')]);
    await write(sessionId, [chunk('b'), ended]);
    const expected = reduceAll(emptySession(sessionId, '/workspace', 1), [started, chunk('a'), chunk('b'), ended]);
    assert.deepEqual(await readConversation(store, 'agent', sessionId), expected);
  });

  it('it saves a notice about a conversation that was only loaded, as the user saw it', async () => {
    const sessionId = freshId();
    const forgot: SessionEvent = {
      type: 'host_notice',
      at: 5,
      severity: 'warning',
      code: 'recall_tail_lost',
      params: { prompts: 1, since: 'a' },
    };
    await write(sessionId, [started, chunk('a'), ended]);
    const loaded: SessionEvent = { type: 'opened', at: 4, cwd: '/workspace', by: 'loaded' };
    await write(sessionId, [loaded, forgot]);
    assert.deepEqual((await readConversation(store, 'agent', sessionId))?.items.at(-1)?.kind, 'notice');
  });

  it('it creates no file for a session without messages', async () => {
    const count = (await readdir(directory)).length;
    await write(freshId(), [{ type: 'opened', at: 1, cwd: '/workspace', by: 'new' }]);
    assert.equal((await readdir(directory)).length, count);
  });

  it('it drops an incomplete last line, and later lines are intact', async () => {
    const sessionId = freshId();
    const file = await write(sessionId, [started, chunk('torn')]);
    await truncate(file, (await readFile(file)).length - 5);
    await write(sessionId, [chunk('after')]);
    const content = await readAll(store, 'agent', sessionId);
    assert.deepEqual(content?.events, [started, chunk('after')]);
    assert.equal(content?.dropped, 1);
  });

  it('it counts foreign lines and continues reading', async () => {
    const sessionId = freshId();
    const file = await write(sessionId, [started]);
    await appendFile(file, 'not json\n{"type":"unknown"}\n[1]\n{"type":"message","at":1,"role":"agent","content":{"type":"text"}}\n');
    await write(sessionId, [chunk('more'), ended]);
    const content = await readAll(store, 'agent', sessionId);
    assert.deepEqual([content?.events, content?.dropped], [[started, chunk('more'), ended], 4]);
  });

  it('it reports a file from a newer version and leaves it unchanged', async () => {
    const sessionId = freshId();
    const file = await write(sessionId, [started]);
    const newer = (await readFile(file, 'utf8')).replace(`"version":${formatVersion}`, `"version":${formatVersion + 1}`);
    await writeFile(file, newer);
    await assert.rejects(readAll(store, 'agent', sessionId), { code: 'storage_failed', message: /unreadable_newer/ });
    assert.equal(await readFile(file, 'utf8'), newer);
  });

  it('it contains no secrets', async () => {
    const sessionId = freshId();
    const file = await write(sessionId, [started, chunk('key sk-live_0123456789abcdef and Authorization: Bearer abcdefghijklmnop')]);
    const kept = await readFile(file, 'utf8');
    assert.doesNotMatch(kept, /0123456789abcdef|abcdefghijklmnop/);
  });

  it('it shows a turn without an end as interrupted', async () => {
    const sessionId = freshId();
    await write(sessionId, [started, chunk('half an ans')]);
    const state = await readConversation(store, 'agent', sessionId);
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
    const journal = blocked.open(header('s'));
    journal.append([started]);
    journal.append([ended]);
    await journal.close();
    assert.deepEqual(told, ['storage_failed']);
  });

  it('it saves nothing after its end', async () => {
    const sessionId = freshId();
    const journal = store.open(header(sessionId));
    journal.append([started]);
    await journal.close();
    journal.append([ended]);
    await journal.flush();
    await journal.close();
    assert.deepEqual((await readAll(store, 'agent', sessionId))?.events, [started]);
  });

  it('it lists the newest conversation first', async () => {
    const journal = store.open({ ...header(freshId()), createdAt: 99 });
    journal.append([started]);
    await journal.close();
    assert.equal((await store.list())[0]?.createdAt, 99);
  });

  for (const [what, more] of [
    ['a picture', { type: 'image', mimeType: 'image/png', data: 'A'.repeat(100_000) }],
    ['a long text', { type: 'text', text: ' and so on'.repeat(10_000) }],
  ] as const)
    it(`it lists a conversation that begins with words and ${what} by the words`, async () => {
      const sessionId = freshId();
      const text = 'What is "this"?\n\u2028 \\ é 😀';
      await write(sessionId, [{ ...started, content: [{ type: 'text', text }, more] }]);
      assert.equal((await store.list()).find((one) => one.sessionId === sessionId)?.firstPrompt?.slice(0, text.length), text);
    });

  it('it lists a conversation by the beginning of its first prompt, wherever the part that is read ends', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', '"', '\\', '\n', '\u0001', 'é', '😀'), { minLength: 1, maxLength: 9 }),
        async (parts) => {
          const sessionId = freshId();
          const text = parts.join('').repeat(70_000 / parts.length);
          await write(sessionId, [{ ...started, content: [{ type: 'text', text }] }]);
          const listed = (await store.list()).find((one) => one.sessionId === sessionId)?.firstPrompt ?? '';
          assert.ok(listed.length > 5_000);
          // The last character may be incomplete.
          assert.equal(listed.slice(0, -1), text.slice(0, listed.length - 1));
        },
      ),
      { numRuns: 20 },
    );
  });
});
