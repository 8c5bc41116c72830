import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chatViewSchema } from '../../src/contract/view.js';
import {
  contextOf,
  type ConversationState,
  emptyConversation,
  emptySession,
  HostError,
  reduceAll,
  type SessionEvent,
  type SessionOption,
  type SessionState,
} from '../../src/core/index.js';
import { chatDrawer, type ChatInput } from '../../src/extension/chat/viewModel.js';
import { controlsFor } from '../../src/extension/actions/controls.js';
import { mayPrepare } from '../../src/extension/conversation/mayPrepare.js';
import { statusOf } from '../../src/extension/status/statusView.js';

const start = 1_000_000;
const turn: SessionEvent = { type: 'turn_started', at: start, turnId: 't1', content: [{ type: 'text', text: 'do it' }] };

function sessionOf(...events: readonly SessionEvent[]): SessionState {
  return reduceAll(emptySession('s1', '/home/me/project', start), events);
}

function conversation(change: Partial<ConversationState> = {}): ConversationState {
  return {
    ...emptyConversation('one', '/home/me/project'),
    agent: { id: 'agentao', label: 'agentao', isFallback: false },
    status: { state: 'ready' },
    session: sessionOf(),
    live: true,
    ...change,
  };
}

function draw(change: Partial<ConversationState>, rest: Partial<ChatInput> = {}) {
  const drawn = chatDrawer()({
    conversation: conversation(change),
    prompts: [],
    closed: undefined,
    chips: [],
    quietAfterMs: 60_000,
    now: start,
    ...rest,
  });
  chatViewSchema.parse(drawn.view);
  return drawn;
}

describe('a sign-in that is missing', () => {
  const authMethods = [
    { id: 'key', name: 'API Key', type: 'agent' },
    { id: 'wizard', name: 'Wizard', type: 'terminal', args: [], env: {} },
  ] as const;
  const info = {
    name: 'agentao',
    title: undefined,
    version: undefined,
    protocolVersion: 1,
    promptContent: [],
    mcpTransports: [],
    authMethods,
    capabilities: {},
  };
  const error = { code: 'auth_required', params: { detail: 'No key' } } as const;
  const failed = sessionOf(turn, { type: 'turn_ended', at: start, turnId: 't1', outcome: { type: 'failed', error } });
  const waiting = { id: 'p1', content: [{ type: 'text', text: 'do it' }], at: start, held: undefined } as const;

  it('is one card with everything that helps, and the message waits in a card of its own', () => {
    const { view } = draw({ info, session: failed, blocker: { type: 'sign_in', error }, outbox: [waiting] });
    assert.deepEqual(
      view.banner?.buttons.map(({ label, methodId }) => [label, methodId]),
      [
        ['Sign In with API Key', 'key'],
        ['Sign In with Wizard', 'wizard'],
        ['Set API Key', undefined],
        ['Retry', undefined],
        ['Restart', undefined],
        ['Show Log', undefined],
      ],
    );
    assert.deepEqual(
      view.items.map((item) => [item.kind, 'buttons' in item ? item.buttons : []]),
      [
        ['user', []],
        ['turn_end', []],
      ],
    );
    assert.deepEqual(
      view.held.map(({ title, text, prompts }) => [title, text, prompts.map((prompt) => prompt.text)]),
      [['1 message on hold', 'It is sent after you sign in.', ['do it']]],
    );
  });

  it('is gone when it works', () => {
    const { view } = draw({ info, session: failed });
    assert.deepEqual([view.banner, view.held], [null, []]);
  });
});

describe('the transcript', () => {
  it('stands in the order in which things came', () => {
    const session = sessionOf(
      turn,
      { type: 'message', at: start, role: 'thought', content: { type: 'text', text: 'hm' } },
      {
        type: 'tool',
        at: start,
        id: 'c1',
        toolCallId: 'c1',
        patch: { title: 'read_file', toolKind: 'read', rawInput: { file_path: '/home/me/project/src/a.ts' } },
      },
      { type: 'message', at: start, role: 'agent', content: { type: 'text', text: 'done' } },
    );
    assert.deepEqual(
      draw({ session }).view.items.map(({ kind }) => kind),
      ['user', 'thought', 'tool', 'agent'],
    );
  });

  it('keeps the view of what did not change', () => {
    const drawer = chatDrawer();
    const before = sessionOf(turn, { type: 'message', at: start, role: 'agent', content: { type: 'text', text: 'one' } });
    const after = reduceAll(before, [{ type: 'message', at: start, role: 'agent', content: { type: 'text', text: ' two' } }]);
    const input = (session: SessionState): ChatInput => ({
      conversation: conversation({ session }),
      prompts: [],
      closed: undefined,
      chips: [],
      quietAfterMs: 60_000,
      now: start,
    });
    const [first, second] = [drawer(input(before)).view.items, drawer(input(after)).view.items];
    assert.equal(first[0], second[0]);
    assert.notEqual(first[1], second[1]);
  });

  it('a tool call says what it is about, relative to the folder, and shows output without its fence', () => {
    const session = sessionOf(turn, {
      type: 'tool',
      at: start,
      id: 'c1',
      toolCallId: 'c1',
      patch: {
        title: 'run_shell_command',
        toolKind: 'execute',
        status: 'completed',
        rawInput: { command: 'npm test\nnpm run lint' },
        content: [{ type: 'content', content: { type: 'text', text: '```\nall well\n```' } }],
        caveat: 'exit_code_unreported',
      },
    });
    const card = draw({ session }).view.items[1];
    assert.ok(card?.kind === 'tool');
    assert.deepEqual(
      { verb: card.verb, target: card.target, input: card.input, output: card.output, status: card.statusText, caveat: card.caveat },
      {
        verb: 'Run',
        target: 'npm test',
        input: 'npm test\nnpm run lint',
        output: 'all well',
        status: 'done',
        caveat: "agentao doesn't report the exit code. Check the output.",
      },
    );
  });

  it('a change has its counts', () => {
    const session = sessionOf(turn, {
      type: 'tool',
      at: start,
      id: 'c1',
      toolCallId: 'c1',
      patch: {
        title: 'replace',
        toolKind: 'edit',
        content: [{ type: 'diff', path: '/home/me/project/a.txt', oldText: 'one\ntwo\n', newText: 'one\nzwei\ndrei\n' }],
      },
    });
    const card = draw({ session }).view.items[1];
    assert.ok(card?.kind === 'tool');
    assert.deepEqual(
      card.diffs.map(({ added, removed }) => ({ added, removed })),
      [{ added: 2, removed: 1 }],
    );
  });

  it('a message that no turn has taken yet stands at the end', () => {
    const outbox = [{ id: 'u', content: [{ type: 'text', text: 'later' }], at: start, held: undefined }] as const;
    const { items, queue } = draw({ outbox }).view;
    assert.deepEqual([items.map((item) => item.kind === 'user' && item.text), queue], [['later'], []]);
  });

  it('a message that waits after reopening is shown once, and so is Resend', () => {
    const words = [{ type: 'text', text: 'and then' }] as const;
    const session = sessionOf(
      turn,
      { type: 'queued', at: start, prompt: { id: 'saved', content: words, at: start } },
      { type: 'turn_ended', at: start, turnId: 't1', outcome: { type: 'interrupted', error: { code: 'agent_exited', params: {} } } },
    );
    const outbox = [{ id: 'waits', content: words, at: start, held: 'turn_interrupted' }] as const;
    const { items, queue, held } = draw({ session, outbox, live: false }).view;
    assert.deepEqual([queue, held.map(({ prompts }) => prompts.map(({ text }) => text))], [[], [['and then']]]);
    const offered = [...items.flatMap((item) => ('buttons' in item ? item.buttons : [])), ...held.flatMap(({ buttons }) => buttons)];
    assert.deepEqual(
      offered.filter(({ label }) => label === 'Resend').map(({ action }) => action),
      ['resendInterrupted'],
    );
    const alone = draw({ session, live: false }).view.items.at(-1);
    assert.ok(alone?.kind === 'turn_end' && alone.buttons.some(({ label }) => label === 'Resend'));
  });

  it('a message behind a turn is queued, beside those that the agent keeps itself', () => {
    const outbox = [{ id: 'u', content: [{ type: 'text', text: 'later' }], at: start, held: undefined }] as const;
    const kept: SessionEvent = { type: 'queued', at: start, prompt: { id: 'k', content: [{ type: 'text', text: 'kept' }], at: start } };
    const { items, queue } = draw({ outbox, session: sessionOf(turn, kept), sending: { promptId: 'p' } }).view;
    assert.deepEqual(
      items.map((item) => item.kind === 'user' && item.text),
      ['do it'],
    );
    assert.deepEqual(
      queue.map(({ id, text }) => [id, text]),
      [
        ['k', 'kept'],
        ['u', 'later'],
      ],
    );
  });

  it('an agent that gives the id of a session again does not mix what stands above with what is below', () => {
    const { view } = draw({ earlierSessions: [sessionOf(turn)], session: { ...sessionOf(turn), createdAt: start + 1 } });
    assert.equal(new Set(view.items.map(({ id }) => id)).size, view.items.length);
  });

  it('what an agent has forgotten stands above, with a line that says so', () => {
    const { view } = draw({ earlierSessions: [sessionOf(turn)], session: { ...sessionOf(turn), sessionId: 's2' } });
    assert.deepEqual(
      view.items.map(({ kind }) => kind),
      ['user', 'notice', 'user'],
    );
    assert.equal(new Set(view.items.map(({ id }) => id)).size, 3);
  });
});

describe('the end of a turn', () => {
  const endOf = (outcome: Extract<SessionEvent, { type: 'turn_ended' }>['outcome']) => {
    const item = draw({ session: sessionOf(turn, { type: 'turn_ended', at: start + 2_000, turnId: 't1', outcome }) }).view.items.at(-1);
    assert.ok(item?.kind === 'turn_end');
    return item;
  };

  it('is silent when it is the ordinary one', () => {
    const end = endOf({ type: 'ended', stopReason: 'end_turn', silent: false });
    assert.deepEqual([end.text, end.durationMs, end.buttons], [undefined, 2_000, []]);
  });

  it('is a warning with the stderr tail when the agent said nothing', () => {
    const end = endOf({ type: 'ended', stopReason: 'end_turn', silent: true, stderrTail: 'LLM call failed' });
    assert.deepEqual([end.severity, end.detail, end.buttons[0]?.action], ['warning', 'LLM call failed', 'retry']);
  });

  it('quotes the provider and offers to try again', () => {
    const error = new HostError('provider_failed', { detail: 'quota exceeded' }).toData();
    const end = endOf({ type: 'failed', error });
    assert.match(end.text ?? '', /quota exceeded/);
    assert.equal(end.buttons[0]?.action, 'retry');
  });

  it('tells how the agent ended under it', () => {
    const end = endOf({ type: 'interrupted', error: { code: 'agent_exited', params: { exitCode: 137 } } });
    assert.match(end.text ?? '', /^Interrupted: agentao exited \(code 137\)/);
  });
});

describe('waits', () => {
  const busy = { status: { state: 'busy', since: start } } as const;

  it('have a reason and an age, and turn into silence by themselves', () => {
    const session = sessionOf(turn);
    const first = draw({ ...busy, session }, { now: start + 14_000 });
    assert.deepEqual([first.view.wait?.text, first.view.wait?.since, first.wakeAt], ['agentao is thinking', start, start + 60_000]);
    const later = draw({ ...busy, session }, { now: start + 75_000 });
    assert.deepEqual(
      [later.view.wait?.text, later.view.wait?.buttons.map(({ action }) => action)],
      ['agentao has been silent', ['showLog', 'stop', 'forceStop']],
    );
  });

  it('offer force after ten seconds of stopping', () => {
    const session = sessionOf(turn, { type: 'turn_cancelling', at: start + 1_000, turnId: 't1' });
    assert.deepEqual(draw({ ...busy, session }, { now: start + 2_000 }).view.wait?.buttons, []);
    assert.deepEqual(
      draw({ ...busy, session }, { now: start + 11_000 }).view.wait?.buttons.map(({ action }) => action),
      ['forceStop', 'showLog'],
    );
  });

  it("a request of the agent is the user's turn", () => {
    const session = sessionOf(turn, {
      type: 'request_opened',
      at: start + 5,
      request: {
        kind: 'form',
        id: 'a1',
        sessionId: 's1',
        at: start + 5,
        message: 'Which?',
        fields: [{ type: 'text', name: 'answer', required: true }],
      },
    });
    assert.equal(draw({ status: { state: 'waiting', since: start, requests: 1 }, session }).view.wait?.text, 'agentao needs your input');
  });

  it('opening a session is told', () => {
    assert.equal(draw({ opening: { since: start }, session: undefined }).view.wait?.text, 'agentao is opening a session');
    assert.equal(
      draw({ opening: { since: start }, session: undefined, status: { state: 'starting', since: start, awaiting: 'initialize' } }).view.wait
        ?.text,
      'Starting agentao',
    );
  });
});

describe('cards', () => {
  it('a stand-in says so until something was said', () => {
    const agent = { id: 'demo', label: 'Demo agent', isFallback: true };
    assert.match(draw({ agent, session: undefined }).view.banner?.command ?? '', /agentao/);
    assert.equal(draw({ agent, session: sessionOf(turn) }).view.banner, null);
  });

  it('an agent that cannot resume the conversation is never replaced silently', () => {
    const waysOut = (saved: SessionState | undefined) => {
      const offer = saved && contextOf([saved], 10_000);
      const error = { code: 'session_unknown', params: {} } as const;
      return draw({ blocker: { type: 'resume_refused', error, sessionId: 's1', offer } }).view.banner?.buttons.map(({ action }) => action);
    };
    assert.deepEqual(waysOut(sessionOf(turn)), ['continueWithContext', 'startFresh', 'retry', 'showLog']);
    assert.deepEqual(waysOut(undefined), ['startFresh', 'retry', 'showLog']);
  });

  it('without trust or a folder nothing can be sent', () => {
    assert.match(draw({}, { closed: 'untrusted' }).view.composer.disabledReason ?? '', /not trusted/);
    assert.match(draw({}, { closed: 'no_folder' }).view.banner?.text ?? '', /Open Folder/);
  });
});

describe('controls and status', () => {
  const mode: SessionOption = {
    type: 'select',
    id: 'mode',
    name: 'Mode',
    category: 'mode',
    currentValue: 'w',
    choices: [{ value: 'w', name: 'Write', description: 'Files are written without asking.' }],
  };

  it('put what the user needs now first', () => {
    const idle = draw({ status: { state: 'stopped' }, live: false }).view;
    assert.equal(controlsFor(idle, 0)[0]?.action, 'restartAgent');
    const busy = draw({ status: { state: 'busy', since: start }, session: sessionOf(turn) }).view;
    assert.equal(controlsFor(busy, 0)[0]?.action, 'stop');
  });

  it('are there before the agent runs, as it offered them last, and can be used', () => {
    const lastKnown = { options: [mode], commands: [{ name: 'compact', description: 'Shorten' }] };
    const { selectors, commands } = draw({ session: undefined, live: false, status: { state: 'stopped' } }, { lastKnown }).view.composer;
    assert.deepEqual(
      [selectors.map(({ id, disabled }) => [id, disabled]), commands.map(({ name }) => name)],
      [[['mode', false]], ['compact']],
    );
    const own = sessionOf({ type: 'options', at: start, options: [{ ...mode, name: 'Own' }] });
    assert.equal(draw({ session: own }, { lastKnown }).view.composer.selectors[0]?.label, 'Own');
    assert.equal(draw({ session: undefined }, { lastKnown, closed: 'untrusted' }).view.composer.selectors[0]?.disabled, true);
  });

  it('can be used while a turn runs, and say what waits for its end', () => {
    const two = { ...mode, choices: [...mode.choices, { value: 'p', name: 'Plan' }] };
    const session = sessionOf({ type: 'options', at: start, options: [two] }, turn);
    const change = { optionId: 'mode', value: 'p' } as const;
    const drawn = (optionChanges: ConversationState['optionChanges']) => draw({ session, optionChanges }).view.composer.selectors[0];
    assert.deepEqual([drawn([])?.value, drawn([])?.disabled], ['w', false]);
    assert.deepEqual([drawn([{ ...change, state: 'asked' }])?.value, drawn([{ ...change, state: 'asked' }])?.hint], ['p', undefined]);
    assert.equal(drawn([{ ...change, state: 'deferred' }])?.hint, 'Mode changes to Plan when this turn ends.');
  });

  it('the agent is prepared for who begins to write, where it was used before and nothing is left to decide', () => {
    const idle = conversation({ status: { state: 'stopped' }, live: false, session: undefined });
    const used = (): boolean => true;
    assert.equal(mayPrepare(idle, used), true);
    assert.equal(
      mayPrepare(idle, () => false),
      false,
    );
    const waits = { id: 'o', content: [], at: start, held: 'front_end_closed' } as const;
    const error = { code: 'agent_not_found', params: {} } as const;
    for (const change of [
      { agent: undefined },
      { status: { state: 'ready' } },
      { opening: { since: start } },
      { outbox: [waits] },
      { blocker: { type: 'failed', error } },
    ] as const)
      assert.equal(mayPrepare({ ...idle, ...change }, used), false, JSON.stringify(change));
  });

  it('tell the mode, and what it means', () => {
    const state = conversation({ session: sessionOf({ type: 'options', at: start, options: [mode] }) });
    const { view } = draw(state);
    assert.equal(view.composer.selectors[0]?.hint, 'Files are written without asking.');
    assert.ok(statusOf(view, state).facts.includes('Mode Write'));
  });
});
