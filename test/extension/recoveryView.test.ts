import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { chatViewSchema } from '../../src/contract/view.js';
import {
  contextBlock,
  contextOf,
  type ConversationState,
  emptyConversation,
  emptySession,
  type HoldReason,
  type OutboxPrompt,
  reduceAll,
  type SessionEvent,
  type SessionState,
} from '../../src/core/index.js';
import { promptView } from '../../src/extension/chat/promptView.js';
import { chatDrawer } from '../../src/extension/chat/viewModel.js';

const start = 1_000_000;
const cwd = path.resolve('/project');
const turn: SessionEvent = { type: 'turn_started', at: start, turnId: 't1', content: [{ type: 'text', text: 'do it' }] };
const cut: SessionEvent = {
  type: 'turn_ended',
  at: start + 1,
  turnId: 't1',
  outcome: { type: 'interrupted', error: { code: 'agent_exited', params: { exitCode: null, signal: 'SIGKILL' } } },
};

function sessionOf(...events: readonly SessionEvent[]): SessionState {
  return reduceAll(emptySession('s1', cwd, start), events);
}

function draw(change: Partial<ConversationState>, now = start) {
  const conversation: ConversationState = {
    ...emptyConversation('one', cwd),
    agent: { id: 'agentao', label: 'agentao', isFallback: false },
    status: { state: 'ready' },
    session: sessionOf(),
    live: true,
    ...change,
  };
  const drawn = chatDrawer()({ conversation, prompts: [], closed: undefined, chips: [], quietAfterMs: 60_000, now });
  return { ...drawn, view: chatViewSchema.parse(drawn.view) };
}

function waiting(text: string, held: HoldReason | undefined): OutboxPrompt {
  return { id: text, content: [{ type: 'text', text }], at: start, held };
}

describe('an interrupted turn', () => {
  const tool = (id: string, patch: Extract<SessionEvent, { type: 'tool' }>['patch']): SessionEvent => ({
    type: 'tool',
    at: start,
    id,
    toolCallId: id,
    patch: { title: id, ...patch },
  });
  const endOf = (...events: readonly SessionEvent[]) => {
    const end = draw({ session: sessionOf(turn, ...events, cut) }).view.items.at(-1);
    assert.ok(end?.kind === 'turn_end');
    return end;
  };

  it('it shows how the agent ended and what the user can do', () => {
    const end = endOf();
    assert.match(end.text ?? '', /^Interrupted: agentao was killed \(SIGKILL\)/);
    assert.deepEqual(
      end.buttons.map(({ label }) => label),
      ['Resend', 'Edit and Resend', 'Show Log'],
    );
  });

  it('it cannot be resent while the user has to choose how to continue', () => {
    const blocker = { type: 'resume_refused', error: { code: 'session_unknown', params: {} }, sessionId: 's1', offer: undefined } as const;
    const end = draw({ session: sessionOf(turn, cut), blocker, live: false }).view.items.at(-1);
    assert.deepEqual(end?.kind === 'turn_end' && end.buttons.map(({ label }) => label), ['Show Log']);
  });

  it('it says so if the end of the agent is not known', () => {
    const unseen = sessionOf(turn, { type: 'opened', at: start + 5, cwd, by: 'loaded' });
    const end = draw({ session: unseen }).view.items.at(-1);
    assert.match(end?.kind === 'turn_end' ? (end.text ?? '') : '', /^Interrupted: ACP Host ended, or agentao exited/);
  });

  it('it says so if the user ended the agent, or the window ended with it', () => {
    const stopped = { type: 'interrupted', error: { code: 'agent_exited', params: { reason: 'stopped' } } } as const;
    const end = draw({ session: sessionOf(turn, { ...cut, outcome: stopped }) }).view.items.at(-1);
    assert.match(end?.kind === 'turn_end' ? (end.text ?? '') : '', /^Interrupted: agentao was stopped, or ACP Host ended\. Output/);
  });

  it('it lists each file that it may have changed once, without those that it only read or was not allowed to change', () => {
    const end = endOf(
      tool('read', { toolKind: 'read', locations: [{ path: path.join(cwd, 'read.ts') }] }),
      tool('edit', {
        toolKind: 'edit',
        content: [{ type: 'diff', path: path.join(cwd, 'src/a.ts'), newText: 'x' }],
        locations: [{ path: path.join(cwd, 'src/a.ts'), line: 3 }],
      }),
      tool('delete', { toolKind: 'delete', locations: [{ path: path.join(cwd, 'b.ts') }] }),
      tool('refused', { toolKind: 'edit', status: 'failed', locations: [{ path: path.join(cwd, 'c.ts') }] }),
      tool('rejected', { toolKind: 'edit', status: 'rejected', locations: [{ path: path.join(cwd, 'd.ts') }] }),
    );
    assert.deepEqual(end.files, [
      { path: path.join(cwd, 'src/a.ts'), label: path.join('src', 'a.ts') },
      { path: path.join(cwd, 'b.ts'), label: 'b.ts' },
    ]);
  });
});

describe('messages on hold', () => {
  const held = (change: Partial<ConversationState>) =>
    draw(change).view.held.map(({ title, buttons, prompts }) => [title, buttons.map(({ label }) => label), prompts.length]);

  it('behind an interrupted turn they can be sent after it or without it', () => {
    assert.deepEqual(
      held({ session: sessionOf(turn, cut), outbox: [waiting('one', 'turn_interrupted'), waiting('two', 'turn_interrupted')] }),
      [['2 messages on hold after the interrupted turn', ['Resend', 'Skip'], 2]],
    );
  });

  it('messages that are sent automatically are shown in the conversation instead', () => {
    const { view } = draw({ outbox: [waiting('on its way', undefined), waiting('left', 'engine_ended')] });
    assert.deepEqual(
      view.items.map((item) => item.kind === 'user' && item.text),
      ['on its way'],
    );
    assert.deepEqual(
      view.held.map(({ prompts }) => prompts.map(({ text }) => text)),
      [['left']],
    );
  });

  it('they have no actions while the user has to choose how to continue', () => {
    const blocker = {
      type: 'resume_refused',
      error: { code: 'session_unknown', params: {} },
      sessionId: 's1',
      offer: undefined,
    } as const;
    const { view } = draw({ session: sessionOf(turn, cut), blocker, outbox: [waiting('one', 'turn_interrupted')] });
    assert.deepEqual(
      view.held.map(({ buttons }) => buttons),
      [[]],
    );
    assert.deepEqual([view.header.state, view.header.stateText], ['waiting', 'needs input']);
  });

  for (const [type, text] of [
    ['sign_in', 'It is sent after you sign in.'],
    ['resume_refused', 'Choose how to continue above. Nothing is sent until then.'],
    ['failed', 'It is sent once the problem above is resolved.'],
  ] as const) {
    it(`they are not shown as sent: ${type}`, () => {
      const error = { code: 'session_unknown', params: {} } as const;
      const blocker = type === 'resume_refused' ? { type, error, sessionId: 's1', offer: undefined } : { type, error };
      const { view } = draw({ session: sessionOf(), live: false, blocker, outbox: [waiting('and now this', undefined)] });
      assert.deepEqual(view.items, []);
      assert.deepEqual(
        view.held.map((card) => [card.title, card.text, card.prompts.map((prompt) => prompt.text), card.buttons]),
        [['1 message on hold', text, ['and now this'], []]],
      );
    });
  }
});

describe('a conversation that continues with the context', () => {
  const above = sessionOf(turn, { type: 'message', at: start, role: 'agent', content: { type: 'text', text: 'done' } }, cut);
  const below = (...blocks: Extract<SessionEvent, { type: 'turn_started' }>['content'] & object): SessionState => ({
    ...reduceAll(emptySession('s2', cwd, start), [{ ...turn, content: blocks }]),
    continues: 's1',
  });
  const dividerOf = (change: Partial<ConversationState>) =>
    draw({ earlierSessions: [above], ...change }).view.items.find((item) => item.kind === 'notice')?.description;

  it('before it is sent, it is shown as a chip with its size', () => {
    const { view } = draw({ earlierSessions: [above], session: undefined, context: contextOf([above], 10_000) });
    assert.match(view.composer.chips[0]?.label ?? '', /^Earlier conversation · 1 turn · \d+ KB$/);
    assert.match(dividerOf({ session: undefined, context: contextOf([above], 10_000) }) ?? '', /your next message/);
  });

  it('it is shown collapsed under the message that carried it, and not as text of the user', () => {
    const block = contextBlock([above]) ?? assert.fail('nothing to tell');
    const item = draw({ earlierSessions: [above], session: below(block, { type: 'text', text: 'go on' }) }).view.items.at(-1);
    assert.ok(item?.kind === 'user');
    assert.equal(item.text, 'go on');
    assert.deepEqual(
      item.attachments.map(({ label, text }) => [label, text?.includes('do it')]),
      [['Earlier conversation', true]],
    );
  });

  it('a divider says what the agent knows', () => {
    const block = contextBlock([above]) ?? assert.fail('nothing to tell');
    assert.match(dividerOf({ session: below(block) }) ?? '', /received only the text/);
    assert.match(dividerOf({ session: below({ type: 'text', text: 'go on' }) }) ?? '', /doesn't know/);
  });
});

describe('waits that the agent explains', () => {
  const explained = (wait: Extract<SessionEvent, { type: 'wait' }>['wait'], now: number) =>
    draw({ status: { state: 'busy', since: start }, session: sessionOf(turn, { type: 'wait', at: start, wait }) }, now);

  const retry = { code: 'status', params: { attempt: 1, attempts: 5, status: 429 } } as const;

  it('a retry of the provider is counted down and redrawn at its end', () => {
    const { view, wakeAt } = explained({ kind: 'retry', reason: retry, until: start + 12_000 }, start + 1_000);
    assert.deepEqual(
      [view.wait?.text, view.wait?.until, view.wait?.buttons.map(({ label }) => label)],
      ['agentao is retrying its provider (the provider returned 429, attempt 1 of 5)', start + 12_000, ['Stop', 'Show Log']],
    );
    assert.equal(wakeAt, start + 12_000);
    assert.equal(explained({ kind: 'retry', reason: retry, until: start + 12_000 }, start + 13_000).view.wait?.until, undefined);
  });

  it('an agent that does not read its input can be killed', () => {
    const { wait } = explained({ kind: 'not_reading', queuedBytes: 3_355_443 }, start).view;
    assert.deepEqual(
      [wait?.text, wait?.buttons.map(({ label }) => label)],
      ["agentao isn't reading input: 3.2 MB queued", ['Show Log', 'Stop', 'Force Stop']],
    );
  });
});

describe('requests of the agent', () => {
  const request = { kind: 'form', id: 'a', sessionId: 's1', at: start, message: 'Which?', fields: [] } as const;
  const surroundings = { agent: 'agentao', cwd, folder: undefined, outsideTurn: false };

  it('one outside of a turn says so', () => {
    assert.match(promptView(request, { ...surroundings, outsideTurn: true }).note ?? '', /^agentao asked after its last turn ended\.$/);
    assert.equal(promptView(request, surroundings).note, undefined);
  });

  it('one with a deadline shows when it closes', () => {
    assert.equal(promptView({ ...request, deadlineAt: start + 9 }, surroundings).until, start + 9);
    assert.equal(promptView(request, surroundings).until, undefined);
  });
});
