import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  contextOf,
  HostError,
  type HostErrorData,
  reduceAll,
  type SessionEvent,
  type SessionState,
  taskPrompt,
} from '../../src/core/index.js';
import { findMadeSession } from '../../src/extension/chat/transcript.js';
import { chatDrawer, type ChatInput } from '../../src/extension/chat/viewModel.js';
import { conversation, draw, sessionOf, start, turn } from './drawnChat.js';

describe('a missing sign-in', () => {
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

  it('it is one card with all actions, and the message on hold has its own card', () => {
    const { view } = draw({ info, session: failed, blocker: { type: 'sign_in', error }, outbox: [waiting] });
    assert.deepEqual(
      view.banner?.buttons.map(({ label, methodId }) => [label, methodId]),
      [
        ['Sign In with API Key', 'key'],
        ['Sign In with Wizard', 'wizard'],
        ['Set API Key', undefined],
        ['Try Again', undefined],
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

  it('its card says only why, whether or not a message is on hold', () => {
    const blocker = { type: 'sign_in', error } as const;
    const textWith = (change: Parameters<typeof draw>[0]) => draw({ info, blocker, ...change }).view.banner?.text;
    assert.deepEqual([textWith({ session: failed, outbox: [waiting] }), textWith({})], ['No key.', 'No key.']);
  });

  it('it is removed after a successful sign-in', () => {
    const { view } = draw({ info, session: failed });
    assert.deepEqual([view.banner, view.held], [null, []]);
  });
});

describe('the transcript', () => {
  it('for an agent that acted without permission, it says what the agent did and what helps', () => {
    const params = { act: 'execute', title: 'rm -r build', gate: { by: 'extension', file: 'askFirst.js' } } as const;
    const session = sessionOf(turn, { type: 'host_notice', at: start, severity: 'warning', code: 'agent_acted_unasked', params });
    const shown = draw({ session }).view.items.find((item) => item.kind === 'notice');
    assert.deepEqual(
      [shown?.severity, shown?.title, shown?.description],
      [
        'warning',
        'agentao ran a command without asking',
        'It didn\'t request permission for "rm -r build", so you had no chance to reject it, and it may act like this again. To be asked first, start it with the extension askFirst.js that comes with ACP Host.',
      ],
    );
  });

  it('it is in the order of events', () => {
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

  it('it keeps the view of unchanged items', () => {
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

  it('a tool call has its subject relative to the folder, and its output without a code fence', () => {
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

  it('a message that is not sent yet is at the end', () => {
    const outbox = [{ id: 'u', content: [{ type: 'text', text: 'later' }], at: start, held: undefined }] as const;
    const { items, queue } = draw({ outbox }).view;
    assert.deepEqual([items.map((item) => item.kind === 'user' && item.text), queue], [['later'], []]);
  });

  it('a message on hold after reopening is shown once, and so is Resend', () => {
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

  it('a session that the agent created can be opened from its notice', () => {
    const made: SessionEvent = {
      type: 'host_notice',
      at: start,
      severity: 'info',
      code: 'session_made',
      params: { sessionId: '/s/made.jsonl' },
    };
    const [notice] = draw({ session: sessionOf(made) }).view.items;
    assert.deepEqual(notice?.kind === 'notice' && notice.buttons.map(({ label }) => label), ['Open Session']);
    const found = findMadeSession(conversation({ session: sessionOf(made) }), notice?.id ?? '');
    assert.deepEqual(found, { agentId: 'agentao', sessionId: '/s/made.jsonl' });
  });

  it('items of a reused session id are not mixed with earlier ones', () => {
    const { view } = draw({ earlierSessions: [sessionOf(turn)], session: { ...sessionOf(turn), id: 'other' } });
    assert.equal(new Set(view.items.map(({ id }) => id)).size, view.items.length);
  });

  it('what an agent has forgotten is above a divider that says so', () => {
    const { view } = draw({ earlierSessions: [sessionOf(turn)], session: { ...sessionOf(turn), id: 's2', sessionId: 's2' } });
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

  it('a normal end shows nothing', () => {
    const end = endOf({ type: 'ended', stopReason: 'end_turn', silent: false });
    assert.deepEqual([end.text, end.durationMs, end.buttons], [undefined, 2_000, []]);
  });

  it('without a reply it is a warning with the stderr tail', () => {
    const end = endOf({ type: 'ended', stopReason: 'end_turn', silent: true, stderrTail: 'LLM call failed' });
    assert.deepEqual([end.severity, end.detail, end.buttons[0]?.action], ['warning', 'LLM call failed', 'retry']);
  });

  it('an error quotes the provider and offers a retry', () => {
    const error = new HostError('provider_failed', { detail: 'quota exceeded' }).toData();
    const end = endOf({ type: 'failed', error });
    assert.match(end.text ?? '', /quota exceeded/);
    assert.equal(end.buttons[0]?.action, 'retry');
  });

  it('an error offers what the agent says that helps', () => {
    const actions = (remedies: unknown): readonly (string | undefined)[] =>
      endOf({ type: 'failed', error: new HostError('provider_failed', { detail: 'full', remedies }).toData() }).buttons.map(
        ({ action }) => action,
      );
    assert.deepEqual(actions(['new_session']), ['newSession', 'showLog']);
    assert.deepEqual(actions(['new_session', 'retry']), ['retry', 'newSession', 'showLog']);
  });

  it('an error that the agent has already reported is shown once', () => {
    const said = (words: string): SessionEvent => ({ type: 'message', at: start, role: 'agent', content: { type: 'text', text: words } });
    const endAfter = (words: string, detail: string) => {
      const error = new HostError('request_failed', { detail }).toData();
      const ended: SessionEvent = { type: 'turn_ended', at: start, turnId: 't1', outcome: { type: 'failed', error } };
      const item = draw({ session: sessionOf(turn, said(words), ended) }).view.items.at(-1);
      return item?.kind === 'turn_end' ? item.text : undefined;
    };
    const words = 'API Error: 400 {"error":{"message":"credit balance is too low"}}';
    assert.equal(endAfter(words, `Internal error: ${words}`), 'agentao reported an error.');
    assert.equal(endAfter(`Let me see.\n\n${words}`, 'Credit balance is too low.'), 'agentao reported an error.');
    assert.match(endAfter('Let me see.', words) ?? '', /credit balance/);
    assert.match(endAfter('Error', words) ?? '', /credit balance/);
  });

  it('an interruption says how the agent ended', () => {
    const end = endOf({ type: 'interrupted', error: { code: 'agent_exited', params: { exitCode: 137 } } });
    assert.match(end.text ?? '', /^Interrupted: agentao exited \(code 137\)/);
    const lost = endOf({ type: 'interrupted', error: { code: 'agent_exited', params: { reason: 'connection_closed' } } });
    assert.match(lost.text ?? '', /^Interrupted: the connection to agentao was lost\./);
  });
});

describe('waiting', () => {
  const busy = { status: { state: 'busy', since: start } } as const;

  it('a wait has a reason and an age, and becomes silence over time', () => {
    const session = sessionOf(turn);
    const first = draw({ ...busy, session }, { now: start + 14_000 });
    assert.deepEqual([first.view.wait?.text, first.view.wait?.since, first.wakeAt], ['agentao is thinking', start, start + 60_000]);
    const later = draw({ ...busy, session }, { now: start + 75_000 });
    assert.deepEqual(
      [later.view.wait?.text, later.view.wait?.buttons.map(({ action }) => action)],
      ['agentao has been silent', ['showLog', 'stop', 'forceStop']],
    );
  });

  it('after ten seconds of stopping, Force Stop is offered', () => {
    const session = sessionOf(turn, { type: 'turn_cancelling', at: start + 1_000, turnId: 't1' });
    assert.deepEqual(draw({ ...busy, session }, { now: start + 2_000 }).view.wait?.buttons, []);
    assert.deepEqual(
      draw({ ...busy, session }, { now: start + 11_000 }).view.wait?.buttons.map(({ action }) => action),
      ['forceStop', 'showLog'],
    );
  });

  it('a request of the agent waits for the user', () => {
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

  it('opening a session is shown', () => {
    assert.equal(draw({ opening: { since: start }, session: undefined }).view.wait?.text, 'agentao is opening a session');
    assert.equal(
      draw({ opening: { since: start }, session: undefined, status: { state: 'starting', since: start, awaiting: 'initialize' } }).view.wait
        ?.text,
      'Starting agentao',
    );
  });
});

describe('an empty conversation', () => {
  it('for a server, it says that the agent does not work in this folder, and suggests no file operations', () => {
    const agent = { id: 'far', label: 'Far', isFallback: false, isServer: true } as const;
    const { empty } = draw({ agent }).view;
    assert.match(empty.text, /^Far is a server/);
    assert.deepEqual(empty.examples, []);
    assert.ok(draw({}).view.empty.examples.length > 0);
  });
});

describe('code attached to a message', () => {
  it('it is named by its file and lines', () => {
    const uri = 'file:///home/me/project/src/a%20b.py';
    const range = { start: { line: 2, character: 0 }, end: { line: 5, character: 0 } };
    const content = taskPrompt({ kind: 'explain', uri, selected: { range, text: 'x' }, whole: 'x\n', symbols: [] });
    const [item] = draw({ session: sessionOf({ type: 'turn_started', at: start, turnId: 't1', content }) }).view.items;
    assert.deepEqual(item?.kind === 'user' && item.attachments.map(({ label }) => label), ['a b.py:3–5', 'a b.py', 'Symbols of a b.py']);
  });
});

describe('an empty chat', () => {
  it('it says in which folder the agent works, if there are several', () => {
    const titles = [undefined, 'library'].map((folder) => draw({ session: undefined }, { folder }).view.empty.title);
    assert.deepEqual(titles, ['What should agentao do?', 'What should agentao do in library?']);
    const agent = { id: 'demo', label: 'Demo agent', isFallback: false };
    assert.match(draw({ agent, session: undefined }, { folder: 'library' }).view.empty.text, /^It does real work in library,/);
  });

  it('it offers prompts about the file that is open', () => {
    const chip = { id: 'open', label: 'parser.ts', title: 'src/parser.ts', follows: 'sent' } as const;
    const examples = (chips: readonly (typeof chip)[]) => draw({ session: undefined }, { chips }).view.empty.examples;
    assert.deepEqual(examples([chip]), ['Explain parser.ts', 'Write tests for parser.ts', 'Explain this project']);
    assert.deepEqual(examples([]), ['Explain this project']);
  });

  it('it leads to the last conversations of the folder', () => {
    const { recent } = draw({ session: undefined }, { recent: [{ id: 'c1', name: 'make the parser tolerant' }] }).view.empty;
    assert.deepEqual(recent, [{ action: 'openConversation', label: 'make the parser tolerant', itemId: 'c1' }]);
  });
});

describe('a chat without an agent of the user', () => {
  it('it says so and what to do, with three buttons, and the agent that the user chooses instead shows what it can do', () => {
    const agent = { id: 'demo', label: 'Demo agent', isFallback: true };
    const { banner, empty } = draw({ agent, session: undefined }).view;
    assert.equal(banner, null);
    assert.deepEqual([empty.title, empty.examples], ['No agent was found', []]);
    assert.match(empty.text, /install/);
    assert.deepEqual(
      empty.buttons.map(({ label }) => label),
      ['Select Agent', 'Try Built-in Agent', 'Check Again'],
    );
    assert.ok(draw({ agent: { ...agent, isFallback: false }, session: undefined }).view.empty.examples.length > 0);
  });
});

describe('the banner', () => {
  it('an agent that cannot resume the conversation is never replaced silently', () => {
    const waysOut = (saved: SessionState | undefined, error: HostErrorData = { code: 'session_unknown', params: {} }) => {
      const offer = saved && contextOf([saved], 10_000);
      return draw({ blocker: { type: 'resume_refused', error, sessionId: 's1', offer } }).view.banner?.buttons.map(({ action }) => action);
    };
    assert.deepEqual(waysOut(sessionOf(turn)), ['continueWithContext', 'startFresh', 'retry', 'showLog']);
    assert.deepEqual(waysOut(undefined), ['startFresh', 'retry', 'showLog']);
    const never = { code: 'unsupported', params: { reason: 'resume' } } as const;
    assert.deepEqual(
      waysOut(sessionOf(turn), never),
      ['continueWithContext', 'startFresh'],
      'an agent that resumes nothing is asked again',
    );
  });

  it('without trust or a folder, nothing can be sent', () => {
    const closed = (['untrusted', 'no_folder'] as const).map((why) => draw({ agent: undefined }, { closed: why }).view);
    assert.deepEqual(
      closed.map(({ banner, composer }) => [composer.disabledReason, composer.placeholder, banner?.buttons.map(({ action }) => action)]),
      [
        ['The workspace is not trusted', 'Ask an agent', ['trustFolder']],
        ['No folder is open', 'Ask an agent', ['openFolder']],
      ],
    );
  });
});
