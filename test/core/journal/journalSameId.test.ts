/** Agents that number their sessions from one in each process give the same id to several conversations, which are saved separately. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { SessionEvent } from '../../../src/core/session/event.js';
import { readSessionHistory } from '../../../src/core/journal/sessionHistory.js';
import { readConversation } from '../../../src/core/journal/journalStore.js';
import { journalName } from '../../../src/core/journal/journalFiles.js';
import { chunk, ended, header, type JournalLab, openLab, readAll, started } from './journalLab.js';

const turn = (words: string): readonly SessionEvent[] => [started('t1', words), chunk(`about ${words}`), ended('t1')];

async function keep({ store }: JournalLab, how: 'begin' | 'open', createdAt: number, events: readonly SessionEvent[]): Promise<void> {
  const journal = store[how]({ ...header('s1'), createdAt });
  journal.append(events);
  await journal.close();
}

describe('a session id that an agent reuses', () => {
  it('it begins a separate conversation, and the earlier one stays unchanged', async (t) => {
    const lab = await openLab(t);
    await keep(lab, 'begin', 10, turn('first'));
    await keep(lab, 'begin', 20, turn('second'));
    assert.deepEqual(
      (await lab.store.list()).map(({ createdAt, firstPrompt }) => [createdAt, firstPrompt]),
      [
        [20, 'second'],
        [10, 'first'],
      ],
    );
    assert.deepEqual((await readAll(lab.store, 'agent', 's1'))?.events, turn('second'));
    assert.deepEqual((await readAll(lab.store, 'agent', 's1', { createdAt: 10 }))?.events, turn('first'));
    assert.deepEqual((await readAll(lab.store, 'agent', 's1', { before: 20 }))?.events, turn('first'));
    assert.equal(await readAll(lab.store, 'agent', 's1', { before: 10 }), undefined);
    assert.deepEqual(lab.told, []);
  });

  it('the two are distinguished even within one millisecond', async (t) => {
    const lab = await openLab(t);
    for (const words of ['one', 'two', 'three']) await keep(lab, 'begin', 10, turn(words));
    const kept = await lab.store.list();
    assert.equal(new Set(kept.map(({ createdAt }) => createdAt)).size, 3);
    for (const { createdAt, firstPrompt } of kept)
      assert.deepEqual((await readAll(lab.store, 'agent', 's1', { createdAt }))?.events, turn(firstPrompt ?? ''));
  });

  it('several windows that begin at once have separate conversations', async (t) => {
    const lab = await openLab(t);
    const words = ['one', 'two', 'three', 'four'];
    await Promise.all(
      [...words.entries()].map(([index, prompt]) => keep(lab, index % 2 === 0 ? 'begin' : 'open', 10 + index, turn(prompt))),
    );
    const kept = await lab.store.list();
    for (const [index, prompt] of words.entries())
      assert.deepEqual((await readAll(lab.store, 'agent', 's1', { createdAt: 10 + index }))?.events, turn(prompt));
    assert.equal(kept.length, 4);
  });

  it('each conversation continues in its own file', async (t) => {
    const lab = await openLab(t);
    await keep(lab, 'begin', 10, [started('t1', 'first')]);
    await keep(lab, 'begin', 20, [started('t1', 'second')]);
    await keep(lab, 'open', 10, [chunk('late'), ended('t1')]);
    await keep(lab, 'open', 20, [chunk('more'), ended('t1')]);
    assert.deepEqual((await readAll(lab.store, 'agent', 's1', { createdAt: 10 }))?.events, [
      started('t1', 'first'),
      chunk('late'),
      ended('t1'),
    ]);
    assert.deepEqual((await readAll(lab.store, 'agent', 's1'))?.events, [started('t1', 'second'), chunk('more'), ended('t1')]);
    assert.equal((await lab.files()).length, 2);
  });

  it('opening a conversation that was not saved returns none of the saved ones', async (t) => {
    const lab = await openLab(t);
    await keep(lab, 'begin', 10, turn('first'));
    await keep(lab, 'open', 30, turn('told by the agent'));
    assert.deepEqual((await readAll(lab.store, 'agent', 's1', { createdAt: 10 }))?.events, turn('first'));
    assert.deepEqual((await readAll(lab.store, 'agent', 's1', { createdAt: 30 }))?.events, turn('told by the agent'));
  });

  it('they stay separate over several files', async (t) => {
    const lab = await openLab(t, { limits: { perSessionBytes: 8_000 } });
    const journals = [10, 20].map((createdAt) => lab.store.begin({ ...header('s1'), createdAt }));
    for (let round = 0; round < 8; round++) {
      for (const [index, journal] of journals.entries()) {
        journal.append([started(`t${round}`, `${index} ${'x'.repeat(300)}`), ended(`t${round}`)]);
        await journal.flush();
      }
    }
    await Promise.all(journals.map((journal) => journal.close()));
    for (const [index, createdAt] of [10, 20].entries()) {
      const content = await readAll(lab.store, 'agent', 's1', { createdAt });
      const said = content?.events.flatMap((event) =>
        event.type === 'turn_started' && event.content?.[0]?.type === 'text' ? [event.content[0].text[0]] : [],
      );
      assert.deepEqual(new Set(said), new Set([String(index)]));
      assert.equal(said?.length, 8);
    }
  });

  it('a list of earlier sessions has no cycle: each refers to the one before', async (t) => {
    const lab = await openLab(t);
    const opened = (at: number, continues?: string): SessionEvent => ({
      type: 'opened',
      at,
      cwd: '/workspace',
      by: continues === undefined ? 'new' : 'replacement',
      ...(continues !== undefined && { continues }),
    });
    await keep(lab, 'begin', 10, [opened(10), ...turn('first')]);
    await keep(lab, 'begin', 20, [opened(20, 's1'), ...turn('second')]);
    await keep(lab, 'begin', 30, [opened(30, 's1'), ...turn('third')]);
    assert.deepEqual(
      (await readSessionHistory(lab.store, 'agent', 's1')).map(({ createdAt }) => createdAt),
      [10, 20, 30],
    );
    assert.deepEqual(
      (await readSessionHistory(lab.store, 'agent', 's1', { createdAt: 20 })).map(({ createdAt }) => createdAt),
      [10, 20],
    );
  });

  it('no conversation begins in a foreign file', async (t) => {
    const lab = await openLab(t);
    await keep(lab, 'begin', 10, turn('first'));
    await writeFile(join(lab.directory, `${journalName('agent', 's1')}-2.jsonl`), 'Dear diary\n');
    await keep(lab, 'begin', 20, turn('second'));
    assert.equal((await readConversation(lab.store, 'agent', 's1'))?.createdAt, 20);
    assert.equal((await lab.files()).length, 3);
  });
});
