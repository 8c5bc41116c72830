/** Users have journals of format 1 on disk: test/fixtures/journal-v1 was written by the last version with that format. */
import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readConversation } from '../../../src/core/journal/journalStore.js';
import { formatVersion } from '../../../src/core/journal/formatVersion.js';
import { eventUpgrader } from '../../../src/core/journal/upgradeEvents.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import { ended, header, type JournalLab, openLab, readAll, started } from './journalLab.js';
import { noticeText } from '../../../src/text/noticeText.js';

async function oldJournals(t: TestContext): Promise<JournalLab> {
  const directory = await mkdtemp(path.join(tmpdir(), 'journal-v1-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  await cp(fileURLToPath(new URL('../../fixtures/journal-v1', import.meta.url)), directory, { recursive: true });
  return openLab(t, { directory });
}

const answersIn = (events: readonly SessionEvent[]): readonly unknown[] =>
  events.flatMap((event) => (event.type === 'request_closed' ? [event.answer] : []));
const versionOf = async (file: string): Promise<unknown> => JSON.parse((await readFile(file, 'utf8')).split('\n')[0] ?? '').version;

describe('a journal of format 1', () => {
  it('it is read in full, with questions and answers in their current form', async (t) => {
    const { store } = await oldJournals(t);
    const { events = [], dropped } = (await readAll(store, 'agent', 'whole')) ?? {};
    assert.equal(dropped, 0);
    assert.deepEqual(answersIn(events), [
      { type: 'accept', values: { option: 'allow_once' } },
      { type: 'cancel', why: 'deadline' },
      { type: 'accept', values: { answer: ['A', 'B, C'] } },
      { type: 'accept', values: { answer: 'something else' } },
      { type: 'accept', values: { answer: 'in words' } },
      { type: 'cancel' },
    ]);
    const requests = events.flatMap((event) => (event.type === 'request_opened' ? [event.request] : []));
    assert.deepEqual(
      requests.map((request) => [request.id, request.kind === 'form' ? request.fields[0]?.type : request.kind]),
      [
        ['ask1', 'permission'],
        ['ask2', 'permission'],
        ['ask3', 'multiselect'],
        ['ask4', 'select'],
        ['ask5', 'text'],
        ['ask6', 'select'],
        ['ask7', 'multiselect'],
      ],
    );
    const [first, second, third] = requests;
    assert.ok(first?.kind === 'permission' && first.alwaysScope?.params.tool === 'run_shell_command');
    assert.equal(second?.deadlineAt, 60_007);
    assert.deepEqual(third, {
      kind: 'form',
      id: 'ask3',
      sessionId: 's',
      at: 9,
      title: 'Pick',
      message: 'Which?',
      fields: [
        {
          type: 'multiselect',
          name: 'answer',
          required: true,
          choices: ['A', 'B, C', 'D'].map((value) => ({ value, label: value })),
          allowCustom: false,
        },
      ],
    });
    const state = await readConversation(store, 'agent', 'whole');
    assert.deepEqual(state?.requests, []);
    assert.ok(
      state?.items.some(
        (item) => item.kind === 'notice' && 'code' in item && noticeText(item, 'agent').title === 'Dismissed: run_shell_command',
      ),
    );
  });

  it('its errors have params, and descriptions of agents became codes', () => {
    const upgrade = eventUpgrader(1);
    const error = { code: 'agent_exited', message: 'Mine exited with code 3', data: { exitCode: 3 } };
    assert.deepEqual(upgrade({ type: 'turn_ended', at: 1, turnId: 't1', outcome: { type: 'interrupted', error, stderrTail: 'x' } }), {
      type: 'turn_ended',
      at: 1,
      turnId: 't1',
      outcome: {
        type: 'interrupted',
        error: { code: 'agent_exited', params: { exitCode: 3, detail: 'Mine exited with code 3' } },
        stderrTail: 'x',
      },
    });
    const caveatOf = (caveat: string): unknown => upgrade({ type: 'tool', at: 1, id: 'x', patch: { title: 'A', caveat } });
    for (const [words, code] of [
      ['agentao does not report the exit code. Read the output.', 'exit_code_unreported'],
      ['agentao does not say whether the file was changed. Look at the file.', 'change_unconfirmed'],
    ] as const)
      assert.deepEqual(caveatOf(words), { type: 'tool', at: 1, id: 'x', patch: { title: 'A', caveat: code } });
    const wait = { kind: 'retry', reason: 'the provider answered 429', until: 9 };
    assert.deepEqual(upgrade({ type: 'wait', at: 1, wait }), { type: 'wait', at: 1, wait: null });
    const notice = { type: 'notice', at: 1, severity: 'info', title: 'Something is missing here' };
    assert.deepEqual(upgrade(notice), notice);
  });

  it('in several files, a request in one is answered in the next', async (t) => {
    const { store } = await oldJournals(t);
    const { events = [], dropped } = (await readAll(store, 'agent', 'in two files')) ?? {};
    assert.deepEqual([dropped, answersIn(events)], [0, [{ type: 'accept', values: { answer: ['A', 'B'] } }]]);
  });

  it('it is not written to: the conversation continues in a new file, which has the state so far', async (t) => {
    const lab = await oldJournals(t);
    const before = await Promise.all((await lab.files()).map((file) => readFile(file, 'utf8')));
    const journal = lab.store.open({ ...header('whole'), createdAt: 1 });
    journal.append([started('t3', 'go on'), ended('t3')]);
    await journal.close();
    const again = lab.store.open({ ...header('whole'), createdAt: 1 });
    again.append([started('t4', 'and on'), ended('t4')]);
    await again.close();
    const files = await lab.files();
    const added = files.filter((file) => /eacf.*\.2\.jsonl$/.test(file));
    assert.deepEqual([files.length, added.length], [before.length + 1, 1]);
    const [newest = ''] = added;
    assert.equal(await versionOf(newest), formatVersion);
    assert.deepEqual(await Promise.all(files.filter((file) => file !== newest).map((file) => readFile(file, 'utf8'))), before);
    const text = await readFile(newest, 'utf8');
    assert.match(text, /"standing":.*"request_opened".*"ask7"/);
    assert.doesNotMatch(text, /ask_opened|ask_closed/);
    const state = await readConversation(lab.store, 'agent', 'whole');
    assert.deepEqual(
      state?.items.flatMap((item) => (item.kind === 'turn_end' ? [item.turnId] : [])),
      ['t1', 't2', 't3', 't4'],
    );
  });
});

describe('an event of format 1', () => {
  it('an invalid one is passed on to be refused by the parser', () => {
    for (const odd of [undefined, null, 1, 'ask_opened', [], {}, { type: 1 }, { type: 'toString' }, { type: '__proto__' }])
      assert.deepEqual(eventUpgrader(1)(odd), odd);
    for (const odd of [{ type: 'ask_opened' }, { type: 'ask_opened', ask: 1 }, { type: 'ask_closed', answer: { type: 'answered' } }])
      assert.doesNotThrow(() => eventUpgrader(1)(odd));
  });

  it('a current one is left unchanged', () => {
    const event = { type: 'ask_opened', ask: {} };
    assert.equal(eventUpgrader(2)(event), event);
  });
});
