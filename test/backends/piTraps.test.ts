/**
 * The traps for a host that trusts the documentation of the Pi family, each by its name. The peer is a stand-in, which does not prove
 * interoperability.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test, type TestContext } from 'node:test';
import { connectPi, connectXcsh } from '../../src/core/backends/pi/piBackend.js';
import type { SessionEvent } from '../../src/core/session/event.js';
import { within } from '../real/deadline.js';
import { queued } from './peer.js';
import { piDialects, piStandIn, type StandInDialect } from './piPeers.js';
import { connectSeam, eventsIn, type OpenSession, rejects, type Seam, wordsIn, yesTo } from './seam.js';

const sessions = mkdtempSync(path.join(tmpdir(), 'acp-host-pi-sessions-'));
after(() => rmSync(sessions, { recursive: true, force: true }));

type Connected = Seam & OpenSession;

async function open(t: TestContext, dialect: StandInDialect, more: readonly string[] = []): Promise<Connected> {
  const seam = await connectSeam(t, dialect === 'xcsh' ? connectXcsh : connectPi, { agent: piStandIn(dialect, sessions, more) });
  return { ...seam, ...(await seam.open()) };
}

function eventsOf<T extends SessionEvent['type']>({ told }: OpenSession, type: T): readonly Extract<SessionEvent, { type: T }>[] {
  return eventsIn(told.all).filter((event): event is Extract<SessionEvent, { type: T }> => event.type === type);
}

/** The frames that were sent, as the agent received them. */
function sent({ traffic }: Seam, type: string): readonly Readonly<Record<string, unknown>>[] {
  return traffic.all.flatMap((entry) =>
    entry.kind === 'message' && entry.direction === 'sent' && isRecord(entry.message) && entry.message['type'] === type
      ? [entry.message]
      : [],
  );
}
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

const said = async (seam: Connected, prompt: string): Promise<string> => {
  await within(seam.prompt(prompt), 'end');
  return seam.words();
};

for (const dialect of piDialects) {
  describe(dialect, () => {
    test('a Unicode line separator in a text does not end a line', async (t) => {
      const words = 'one\u2028two\u2029three';
      assert.equal(await said(await open(t, dialect), words), words);
    });

    test('an event with the id of an unanswered command is an event, not an answer', async (t) => {
      const seam = await open(t, dialect, ['--same-ids']);
      assert.equal(await said(seam, 'one'), 'one');
      const { unknownResponses, timeouts } = seam.backend.stats;
      assert.deepEqual([unknownResponses, timeouts], [0, 0]);
    });

    test('every command has a string id that is unique among the unanswered ones', async (t) => {
      const seam = await open(t, dialect);
      await said(seam, 'one');
      const ids = seam.traffic.all.flatMap((entry) =>
        entry.kind === 'message' && entry.direction === 'sent' && isRecord(entry.message) ? [entry.message['id']] : [],
      );
      assert.ok(ids.length > 3 && ids.every((id) => typeof id === 'string'));
      assert.equal(new Set(ids).size, ids.length);
    });

    test('an abort with an open dialog answers the dialog first', async (t) => {
      const seam = await open(t, dialect);
      const turn = seam.prompt('ask');
      await seam.asked.until('request', () => true);
      seam.session.cancel();
      assert.equal((await within(turn, 'end')).stopReason, 'cancelled');
      const order = seam.traffic.all.flatMap((entry) =>
        entry.kind === 'message' && entry.direction === 'sent' && isRecord(entry.message) ? [entry.message['type']] : [],
      );
      assert.ok(order.indexOf('extension_ui_response') < order.indexOf('abort'));
      assert.equal(sent(seam, 'extension_ui_response')[0]?.['cancelled'], true);
    });

    test('a dialog that the agent dropped silently closes, and nothing is sent', async (t) => {
      const seam = await open(t, dialect);
      assert.equal(await said(seam, 'timed'), 'too late');
      assert.deepEqual(
        seam.closed.all.map(({ answer }) => answer),
        [{ type: 'cancel', why: 'deadline' }],
      );
      assert.deepEqual(sent(seam, 'extension_ui_response'), []);
    });

    test('a command of an extension is answered without a run, after its dialogs', async (t) => {
      const seam = await open(t, dialect);
      const turn = seam.prompt('/ask');
      const request = await seam.asked.until('request', () => true);
      seam.answer(request, yesTo(request));
      assert.equal((await within(turn, 'end')).stopReason, 'end_turn');
      assert.deepEqual(
        eventsOf(seam, 'notice').map(({ title }) => title),
        ['yes'],
      );
    });

    test('a steer and a follow-up belong to one turn, in order', async (t) => {
      const seam = await open(t, dialect);
      const turn = seam.prompt('ask');
      const request = await seam.asked.until('request', () => true);
      await within(seam.prompt('later', 'followUp'), 'taken words');
      await within(seam.prompt('now', 'steer'), 'taken words');
      seam.answer(request, yesTo(request));
      assert.equal((await within(turn, 'end')).stopReason, 'end_turn');
      assert.equal(seam.words(), 'Yes!nowlater');
      assert.equal(wordsIn(seam.told.all, 'user'), 'nowlater');
      assert.deepEqual(queued(seam), []);
      assert.ok(eventsOf(seam, 'queued').length >= 2);
    });

    test('a run that ends and is retried is one turn', async (t) => {
      const seam = await open(t, dialect);
      assert.equal(await said(seam, 'retries'), 'second try');
      assert.equal(eventsOf(seam, 'wait')[0]?.wait?.kind, 'retry');
    });

    test('a compaction after the end of a run belongs to its turn', async (t) => {
      const seam = await open(t, dialect);
      await said(seam, 'compacts');
      assert.deepEqual(
        eventsOf(seam, 'compaction').map(({ status }) => status),
        ['in_progress', 'completed'],
      );
      assert.equal(new Set(eventsOf(seam, 'compaction').map(({ id }) => id)).size, 1);
    });

    test('a system message is not attributed to anyone', async (t) => {
      const seam = await open(t, dialect);
      await said(seam, 'one');
      assert.ok(!JSON.stringify(seam.told.all).includes('You are secret'));
      assert.equal(wordsIn(seam.told.all, 'user'), '');
    });

    test('tool output that is repeated in full is reported once', async (t) => {
      const seam = await open(t, dialect);
      await said(seam, 'grows');
      const contents = eventsOf(seam, 'tool').flatMap(({ patch }) => (patch.content === undefined ? [] : [JSON.stringify(patch.content)]));
      assert.ok(
        contents.every((content) => content.split('one\\n').length === 2),
        contents.join('\n'),
      );
      assert.deepEqual(eventsOf(seam, 'tool').at(-1)?.patch.exit, { code: 7 });
      assert.equal(eventsOf(seam, 'tool').at(-1)?.patch.status, 'failed');
    });

    test('text missing from the deltas is completed by the end of the message', async (t) => {
      assert.equal(await said(await open(t, dialect), 'silentCompletion'), 'all of it');
    });

    test('if the agent dies, an open prompt and an open dialog settle', async (t) => {
      const seam = await open(t, dialect);
      const turn = rejects(seam.prompt('ask'), 'agent_exited');
      await seam.asked.until('request', () => true);
      await seam.backend.close({ force: true });
      await turn;
      assert.equal(seam.closed.all.length, 1);
    });

    test('known requests become dialogs, which are answered by their values', async (t) => {
      const seam = await open(t, dialect);
      const turn = seam.prompt('dialogs');
      const is = (kind: string, count: number) => (request: { kind: string }) => request.kind === kind && seam.asked.all.length === count;
      const select = await seam.asked.until('select', is('form', 1));
      assert.ok(select.kind === 'form' && select.message === 'Which?');
      assert.equal(seam.answer(select, { type: 'accept', values: { answer: 'Neither' } }), false);
      seam.answer(select, { type: 'accept', values: { answer: 'Block' } });
      const input = await seam.asked.until('input', (request) => request !== select && is('form', 2)(request));
      seam.answer(input, { type: 'accept', values: { answer: 'Ada' } });
      const editor = await seam.asked.until('editor', is('editor', 3));
      assert.ok(editor.kind === 'editor' && editor.prefill === 'Line 1\nLine 2');
      seam.answer(editor, { type: 'accept', values: { text: 'Line 3' } });
      await within(turn, 'end');
      assert.equal(seam.words(), 'Block|Ada|Line 3');
    });

    test('a request that cannot be shown is dismissed, because the agent could not even stop while it waits', async (t) => {
      const seam = await open(t, dialect);
      assert.equal(await said(seam, 'strangeDialogs'), 'dismissed|dismissed');
      assert.deepEqual(seam.asked.all, []);
      assert.equal(seam.backend.stats.leftOut, 2);
    });

    test('new lines and widgets of extensions become notices, and clearing one produces none', async (t) => {
      const seam = await open(t, dialect);
      await said(seam, 'notices');
      assert.deepEqual(
        eventsOf(seam, 'notice').map(({ title, description, severity }) => [title, description, severity]),
        [
          ['Look here', undefined, 'warning'],
          ['busy', undefined, 'info'],
          ['a', 'b', 'info'],
          ['It broke', '/e.ts: tool_call', 'error'],
        ],
      );
    });

    test('a call of an unregistered host tool is answered with an error', async (t) => {
      assert.equal(await said(await open(t, dialect), 'hostTool'), 'host tool: true');
    });

    test('an edit has a diff, and a relative path belongs to the folder', async (t) => {
      const seam = await open(t, dialect);
      await said(seam, 'edits');
      const diffs = eventsOf(seam, 'tool').flatMap(({ patch }) => patch.content?.filter(({ type }) => type === 'diff') ?? []);
      assert.deepEqual(diffs[0], { type: 'diff', path: path.join(seam.cwd, 'a.txt'), oldText: 'old', newText: 'new' });
      assert.deepEqual(diffs.at(-1), { type: 'diff', path: '/abs/b.txt', newText: 'all new' });
    });

    test('the reasons of failed, shortened and thinking turns are reported', async (t) => {
      const seam = await open(t, dialect);
      const failure = await rejects(seam.prompt('provider'), 'provider_failed');
      assert.ok(failure.params.detail?.includes('Overloaded'));
      assert.equal((await within(seam.prompt('length'), 'end')).stopReason, 'max_tokens');
      const { usage } = await within(seam.prompt('think'), 'end');
      assert.deepEqual(
        eventsOf(seam, 'message').flatMap(({ role, content }) => (role === 'thought' && content.type === 'text' ? [content.text] : [])),
        ['H', 'm', '.'],
      );
      assert.deepEqual([usage?.inputTokens, usage?.outputTokens, usage?.totalTokens], [10, 5, 16]);
      assert.deepEqual(eventsOf(seam, 'usage').at(-1)?.usage, { used: 60, size: 1000, cost: { amount: 0.45, currency: 'USD' } });
    });

    test('models, thinking levels and delivery modes are options', async (t) => {
      const { session } = await open(t, dialect);
      const interrupt = dialect === 'xcsh' ? ['interrupt'] : [];
      assert.deepEqual(
        session.options.map(({ id }) => id),
        ['model', 'thought_level', 'steering', 'follow_up', ...interrupt, 'auto_compaction', 'auto_retry'],
      );
      await session.setOption('model', 'mock/sub/two');
      await session.setOption('thought_level', 'off');
      await session.setOption('follow_up', 'all');
      await session.setOption('auto_retry', false);
      assert.equal(session.options.at(-1)?.currentValue, false);
      assert.deepEqual(
        session.options.slice(0, 4).map(({ currentValue }) => currentValue),
        ['mock/sub/two', 'off', 'one-at-a-time', 'all'],
      );
      await rejects(session.setOption('model', 'nobody/none'), 'request_failed');
    });
  });
}

test('pi074: an error without an id settles only the command that it names', async (t) => {
  const seam = await open(t, 'pi074');
  // It does not support clear_queue and refuses it without an id, but the session opened.
  assert.equal(seam.session.queue, undefined);
  assert.equal(seam.backend.stats.unknownResponses, 0);
  assert.equal(seam.backend.stats.timeouts, 0);
});

test('xcsh: a prompt that is refused and then answered with success has failed', async (t) => {
  const seam = await open(t, 'xcsh');
  const error = await rejects(seam.prompt('oops'), 'request_failed');
  assert.equal(error.params.detail, 'an agent cannot do this');
  assert.equal(await said(seam, 'one'), 'one');
  assert.equal(seam.backend.stats.unknownResponses, 0);
});

for (const dialect of piDialects) {
  test(`${dialect}: actions besides prompts are slash commands, each a separate turn`, async (t) => {
    const seam = await open(t, dialect);
    const names =
      eventsOf(seam, 'commands')
        .at(-1)
        ?.commands.map(({ name }) => name) ?? [];
    assert.ok(
      ['compact', 'name', 'export', 'bash'].every((name) => names.includes(name)),
      names.join(),
    );
    await within(seam.prompt('/name My work'), 'end');
    assert.equal(eventsOf(seam, 'info').at(-1)?.title, 'My work');
    await within(seam.prompt('/export page.html'), 'end');
    assert.equal(seam.words(), '`page.html`');
    await within(seam.prompt('/compact be short'), 'end');
    assert.equal(sent(seam, 'compact')[0]?.['customInstructions'], 'be short');
    assert.equal(eventsOf(seam, 'compaction').at(-1)?.status, 'completed');
    await within(seam.prompt('/bash make'), 'end');
    const { patch } = eventsOf(seam, 'tool').at(-1) ?? {};
    assert.deepEqual([patch?.status, patch?.exit], ['completed', { code: 0 }]);
    // The prompt does not start a turn of the model.
    assert.deepEqual(sent(seam, 'prompt'), []);
    await rejects(seam.prompt('/name  '), 'request_failed');
    assert.equal((await rejects(seam.prompt('/stats and then fix the tests'), 'usage')).params.reason, 'command_takes_no_text');
  });
}

test('pi087: what a command prints while it runs is limited to its beginning and its end', async (t) => {
  const seam = await open(t, 'pi087');
  await within(seam.prompt('/bash flood'), 'end');
  const shown = eventsOf(seam, 'tool').map(({ patch }) => JSON.stringify(patch.content ?? []).length);
  assert.ok(Math.max(...shown) < 100_000, `${Math.max(...shown)} characters`);
  assert.ok(shown.filter((chars) => chars > 50_000).length > 100);
});

test('xcsh: its todos are the plan', async (t) => {
  const seam = await open(t, 'xcsh');
  await said(seam, 'plans');
  assert.deepEqual(
    eventsOf(seam, 'plan')
      .at(-1)
      ?.entries.map(({ content, status }) => [content, status]),
    [
      ['first', 'in_progress'],
      ['second', 'completed'],
      ['third', 'pending'],
    ],
  );
});

test('xcsh: a plan that changes during a run is reported at once', async (t) => {
  const seam = await open(t, 'xcsh');
  const turn = seam.prompt('plansInSteps');
  const statuses = (): readonly unknown[] => eventsOf(seam, 'plan').map(({ entries }) => entries[0]?.status);
  for (const [index, status] of ['pending', 'in_progress', 'completed'].entries()) {
    const request = await seam.asked.until(status, ({ kind, ...one }) => kind === 'confirm' && 'message' in one && one.message === status);
    assert.deepEqual(statuses(), ['pending', 'in_progress', 'completed'].slice(0, index + 1));
    seam.answer(request, yesTo(request));
  }
  await within(turn, 'end');
  assert.deepEqual(statuses().slice(3), [undefined]);
});

test('a session is found by its id and loaded with its messages', async (t) => {
  const seam = await connectSeam(t, connectPi, { agent: piStandIn('pi074', sessions) });
  const { told } = await seam.open({ method: 'load', sessionId: 'earlier' });
  const history = told.all.flatMap((one) => (one.type === 'history' ? [one.event] : []));
  assert.deepEqual(
    history.map((event) => (event.type === 'message' ? event.role : event.type)),
    ['user', 'thought', 'agent', 'tool', 'tool'],
  );
});
