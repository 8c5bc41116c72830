/** Signing in with a method of the agent, which may wait indefinitely for the user. */
import assert from 'node:assert/strict';
import { readFile, watch } from 'node:fs/promises';
import path from 'node:path';
import { it } from 'node:test';
import {
  type CommandResult,
  type ConversationClient,
  MODE_OPTION_ID,
  type SessionOption,
  type UserAnswer,
} from '../../../src/core/index.js';
import { LEGACY_MODEL_OPTION_ID } from '../../../src/core/backends/acp/acpOptions.js';
import { emptyDraft } from '../../../src/core/conversation/draft.js';
import { type FrontEnd, openFrontEnd, overCuts, reached, returnedIn, run, said, say, settled, text, textIn, turnsOf } from './frontEnd.js';

const codeOf = (result: CommandResult): string | undefined => (result.ok ? undefined : result.error.code);
const signIn = (conversation: ConversationClient, methodId: string): Promise<CommandResult> =>
  conversation.execute({ type: 'sign_in', methodId });

/** Runs the action, and resolves when the agent waits for the user. */
async function waits(folder: string, act: () => Promise<CommandResult>): Promise<{ readonly result: Promise<CommandResult> }> {
  const changes = watch(folder);
  const result = act();
  for await (const { filename } of changes) if (filename === 'waiting') break;
  return { result };
}

overCuts('signing in', (line) => {
  it('the prompt that needed it is sent afterwards', async (t) => {
    const conversation = await (await openFrontEnd(t, line, { env: { OBEDIENT_SIGNED_OUT: '1' } })).open();
    await say(conversation, 'say hi');
    assert.equal(conversation.state.blocker?.type, 'sign_in');
    assert.equal(conversation.state.outbox.length, 1);
    await run(conversation, { type: 'sign_in', methodId: 'in' });
    await settled(conversation, { type: 'open' });
    assert.deepEqual(said(conversation.state), ['user: say hi', 'agent: hi', 'end ended']);
    assert.equal(conversation.state.blocker, undefined);
  });

  it('the prompt that needed it is still there for the next front end', async (t) => {
    const frontEnd = await openFrontEnd(t, line, { env: { OBEDIENT_SIGNED_OUT: 'at the prompt' } });
    const conversation = await frontEnd.open();
    await say(conversation, 'say hi');
    assert.deepEqual([conversation.state.blocker?.type, conversation.state.outbox.length], ['sign_in', 1]);
    await frontEnd.reopen();
    assert.deepEqual(
      (await frontEnd.open()).state.outbox.map(({ content }) => textIn(content)),
      ['say hi'],
    );
  });

  it('canceling tells the agent, and the user can sign in again', async (t) => {
    const frontEnd = await openFrontEnd(t, line, { agent: 'waitsForSignIn' });
    const conversation = await frontEnd.open();
    await say(conversation, 'hi');
    const { result } = await waits(frontEnd.folder, () => signIn(conversation, 'browser'));
    await run(conversation, { type: 'cancel_sign_in' });
    assert.equal(codeOf(await result), 'cancelled');
    assert.deepEqual([conversation.state.blocker?.type, conversation.state.outbox.length], ['sign_in', 1]);
    await run(conversation, { type: 'sign_in', methodId: 'browser' });
    await settled(conversation, { type: 'open' });
    assert.deepEqual(said(conversation.state), ['user: hi', 'agent: in', 'end ended']);
  });

  it('another attempt replaces the one that waits', async (t) => {
    const frontEnd = await openFrontEnd(t, line, { agent: 'waitsForSignIn' });
    const conversation = await frontEnd.open();
    await say(conversation, 'hi');
    const { result } = await waits(frontEnd.folder, () => signIn(conversation, 'browser'));
    await run(conversation, { type: 'sign_in', methodId: 'browser' });
    assert.equal(codeOf(await result), 'cancelled');
  });

  for (const command of [{ type: 'restart' }, { type: 'force_stop' }, { type: 'change_agent' }] as const)
    it(`${command.type} cancels it`, async (t) => {
      const conversation = await (await openFrontEnd(t, line, { agent: 'waitsForSignIn' })).open();
      await say(conversation, 'hi');
      const waiting = signIn(conversation, 'browser');
      await conversation.execute(command);
      assert.equal(codeOf(await waiting), 'cancelled');
    });
});

/** How often the agent got a request, and the last requests, oldest first. */
async function asked({ folder }: FrontEnd, method: string): Promise<{ readonly times: number; readonly last: readonly string[] }> {
  const all = (await readFile(path.join(folder, 'asked'), 'utf8')).trim().split('\n');
  return { times: all.filter((one) => one === method).length, last: all.slice(-2) };
}

const valueOf = ({ state }: ConversationClient, id: string): SessionOption['currentValue'] | undefined =>
  state.session?.options.find((option) => option.id === id)?.currentValue;

async function signInAgain(conversation: ConversationClient): Promise<void> {
  await run(conversation, { type: 'sign_in', methodId: 'browser' });
  await settled(conversation, { type: 'open' });
}

overCuts('a sign-in that expires in between', (line) => {
  const expiring = (t: Parameters<typeof openFrontEnd>[0], method: string): Promise<FrontEnd> =>
    openFrontEnd(t, line, { agent: 'expiresInBetween', env: { EXPIRES_AT: method } });

  it('in the middle of a turn: the prompt is sent again after it, once', async (t) => {
    const frontEnd = await expiring(t, 'session/prompt');
    const conversation = await frontEnd.open();
    await say(conversation, 'hi');
    const { blocker, outbox } = conversation.state;
    assert.deepEqual([blocker?.type, outbox.length], ['sign_in', 1]);
    await signInAgain(conversation);
    assert.deepEqual(said(conversation.state).slice(-3), ['user: hi', 'agent: hi', 'end ended']);
    assert.deepEqual([conversation.state.outbox, conversation.state.blocker], [[], undefined]);
    assert.equal((await asked(frontEnd, 'session/prompt')).times, 2);
  });

  for (const [method, optionId, value] of [
    ['session/set_mode', MODE_OPTION_ID, 'plan'],
    ['session/set_model', LEGACY_MODEL_OPTION_ID, 'large'],
    ['session/set_config_option', 'depth', 'high'],
  ] as const) {
    it(`at ${method}: the option is set after it, once, before the prompt that follows`, async (t) => {
      const frontEnd = await expiring(t, method);
      const conversation = await frontEnd.open();
      await run(conversation, { type: 'open' });
      assert.equal(codeOf(await conversation.execute({ type: 'set_option', optionId, value })), 'auth_required');
      assert.equal(conversation.state.blocker?.type, 'sign_in');
      assert.deepEqual(conversation.state.optionChanges, [{ optionId, value, state: 'needs_sign_in' }]);
      await say(conversation, 'hi');
      assert.deepEqual([conversation.state.blocker?.type, conversation.state.outbox.length], ['sign_in', 1]);
      const before = (await asked(frontEnd, method)).times;
      await signInAgain(conversation);
      assert.deepEqual([valueOf(conversation, optionId), conversation.state.optionChanges], [value, []]);
      assert.deepEqual(said(conversation.state), ['user: hi', 'agent: hi', 'end ended']);
      const { times, last } = await asked(frontEnd, method);
      assert.deepEqual([times, last], [before + 1, [method, 'session/prompt']]);
    });
  }

  it('at an option that the user typed: it is set after it, unless the user chose another value meanwhile', async (t) => {
    const frontEnd = await expiring(t, 'session/set_mode');
    const conversation = await frontEnd.open();
    await run(conversation, { type: 'open' });
    const choose = (value: string) => conversation.execute({ type: 'choose_option', wish: { id: 'mode', value } });
    assert.equal(codeOf(await choose('plan')), 'auth_required');
    await run(conversation, { type: 'sign_in', methodId: 'browser' });
    assert.equal(codeOf(await choose('ask')), undefined);
    await settled(conversation, { type: 'open' });
    assert.deepEqual([valueOf(conversation, MODE_OPTION_ID), conversation.state.optionChanges], ['ask', []]);
    assert.equal((await asked(frontEnd, 'session/set_mode')).times, 1);
  });

  for (const method of ['session/load', 'session/resume'])
    it(`at ${method}, while an agent that was lost comes back: the sign-in is offered, and the session is opened after it`, async (t) => {
      const frontEnd = await expiring(t, method);
      const conversation = await frontEnd.open();
      await say(conversation, 'hi');
      await say(conversation, 'die');
      await reached(conversation, ({ blocker }) => blocker?.type === 'sign_in');
      await signInAgain(conversation);
      assert.deepEqual([conversation.state.live, conversation.state.blocker], [true, undefined]);
      assert.equal((await asked(frontEnd, method)).times, 2);
      await say(conversation, 'back');
      assert.deepEqual(said(conversation.state).slice(-3), ['user: back', 'agent: back', 'end ended']);
    });

  it('while the options of a session are restored: it is not open without them, and opened after it', async (t) => {
    const frontEnd = await expiring(t, 'session/set_mode');
    const conversation = await frontEnd.open();
    await say(conversation, 'plan');
    assert.equal(valueOf(conversation, MODE_OPTION_ID), 'plan');
    await settled(conversation, { type: 'restart' });
    assert.deepEqual([conversation.state.live, conversation.state.blocker?.type], [false, 'sign_in']);
    await say(conversation, 'hi');
    assert.equal(conversation.state.outbox.length, 1);
    await signInAgain(conversation);
    assert.equal(valueOf(conversation, MODE_OPTION_ID), 'plan');
    assert.deepEqual(said(conversation.state).slice(-3), ['user: hi', 'agent: hi', 'end ended']);
    assert.deepEqual((await asked(frontEnd, 'session/set_mode')).last, ['session/set_mode', 'session/prompt']);
  });

  it('at a fork: it is forked after it', async (t) => {
    const frontEnd = await expiring(t, 'session/fork');
    const [agentId, sessionId, over] = ['obedient', 'forked', 'earlier'];
    const place = { agentId, sessionId, over, withContext: true, fork: { sessionId } };
    frontEnd.remember({ place, outbox: [], returned: [], draft: emptyDraft });
    const conversation = await frontEnd.open();
    await say(conversation, 'hi');
    assert.deepEqual([conversation.state.blocker?.type, conversation.state.outbox.length], ['sign_in', 1]);
    await signInAgain(conversation);
    assert.equal(conversation.state.session?.fork, 'made');
    assert.deepEqual(said(conversation.state), ['user: hi', 'agent: hi', 'end ended']);
    assert.equal((await asked(frontEnd, 'session/fork')).times, 2);
  });
});

overCuts('what the agent asks before there is a session', (line) => {
  const asking = async (t: Parameters<typeof openFrontEnd>[0], method: string, what = 'form') =>
    openFrontEnd(t, line, { agent: 'asksToOpen', env: { ASKS_AT: method, ASKS_FOR: what } });
  const opensRequest = (conversation: ConversationClient): Promise<void> => reached(conversation, ({ requests }) => requests.length === 1);
  const answered = (conversation: ConversationClient, answer: UserAnswer): Promise<CommandResult> =>
    conversation.execute({ type: 'answer_request', requestId: conversation.state.requests[0]?.id ?? '', answer });
  const code = { type: 'accept', values: { code: '42' } } as const;

  for (const method of ['session/new', 'session/load'])
    it(`${method}: it is shown, and what was sent goes on with the answer`, async (t) => {
      const frontEnd = await asking(t, method);
      const conversation = await frontEnd.open();
      if (method === 'session/load') {
        await say(conversation, 'one');
        void conversation.execute({ type: 'restart' });
        await opensRequest(conversation);
        await answered(conversation, { type: 'decline' });
        await reached(conversation, ({ blocker }) => blocker !== undefined);
      }
      const sent = conversation.execute({ type: 'send', content: text('hi') });
      await opensRequest(conversation);
      const { status, requests, session, opening } = conversation.state;
      assert.deepEqual([status.state, requests[0]?.sessionId, opening !== undefined, session?.requests ?? []], ['waiting', '', true, []]);
      assert.equal(codeOf(await answered(conversation, { type: 'accept', values: {} })), 'usage', 'a required field is missing');
      await run(conversation, { type: 'answer_request', requestId: requests[0]?.id ?? '', answer: code });
      await sent;
      await reached(
        conversation,
        ({ session: now, sending, outbox }) => sending === undefined && outbox.length === 0 && now?.items.at(-1)?.kind === 'turn_end',
      );
      assert.deepEqual(said(conversation.state).slice(-3), ['user: hi', 'agent: {"action":"accept","content":{"code":"42"}}', 'end ended']);
      assert.deepEqual(conversation.state.requests, []);
    });

  it('after the agent was restarted: it is shown, and the session is back with the answer', async (t) => {
    const conversation = await (await asking(t, 'session/load')).open();
    await run(conversation, { type: 'send', content: text('die') });
    await opensRequest(conversation);
    assert.equal(conversation.state.status.state, 'waiting');
    assert.equal(codeOf(await answered(conversation, code)), undefined);
    await reached(conversation, ({ live }) => live);
    assert.deepEqual(conversation.state.requests, []);
    await say(conversation, 'told?');
    assert.equal(said(conversation.state).at(-2), 'agent: {"action":"accept","content":{"code":"42"}}');
  });

  it('to sign in: it is shown, and the sign-in goes on with the answer', async (t) => {
    const conversation = await (await asking(t, 'authenticate')).open();
    await settled(conversation, { type: 'open' });
    const signingIn = signIn(conversation, 'browser');
    await opensRequest(conversation);
    assert.equal(conversation.state.status.state, 'waiting');
    assert.equal(codeOf(await answered(conversation, code)), undefined);
    assert.equal(codeOf(await signingIn), undefined);
    assert.deepEqual(conversation.state.requests, []);
  });

  for (const [method, stop] of [
    ['session/new', 'cancel'],
    ['session/new', 'force_stop'],
    ['authenticate', 'cancel_sign_in'],
  ] as const)
    it(`${stop} withdraws what is asked at ${method}, and answers nothing`, async (t) => {
      const conversation = await (await asking(t, method)).open();
      if (method === 'authenticate') await settled(conversation, { type: 'open' });
      const asked = method === 'authenticate' ? signIn(conversation, 'browser') : conversation.execute({ type: 'open' });
      await opensRequest(conversation);
      await run(conversation, stop === 'cancel' ? { type: stop, scope: 'everything' } : { type: stop });
      await reached(conversation, ({ requests }) => requests.length === 0);
      assert.equal(codeOf(await asked), 'cancelled');
    });

  it('it is gone when the agent opens the session without waiting', async (t) => {
    const conversation = await (await asking(t, 'session/new', 'nothing more')).open();
    await settled(conversation, { type: 'open' });
    assert.deepEqual([conversation.state.live, conversation.state.requests], [true, []]);
  });
});

overCuts('signing out', (line) => {
  const opened = async (t: Parameters<typeof openFrontEnd>[0], env: Readonly<Record<string, string>> = {}) =>
    (await openFrontEnd(t, line, { agent: 'signsOut', env })).open();

  it('a sign-in is offered at once, a key is not used by itself, and what is sent waits for the sign-in', async (t) => {
    const conversation = await opened(t, { SOME_API_KEY: 'set' });
    await say(conversation, 'one');
    assert.equal(conversation.state.info?.signsOut, true);
    await run(conversation, { type: 'sign_out' });
    assert.equal(conversation.state.blocker?.type, 'sign_in');
    await say(conversation, 'two');
    assert.deepEqual([conversation.state.blocker?.type, conversation.state.outbox.length], ['sign_in', 1]);
    await run(conversation, { type: 'sign_in', methodId: 'key' });
    await settled(conversation, { type: 'open' });
    assert.deepEqual(said(conversation.state).slice(-3), ['user: two', 'agent: two', 'end ended']);
  });

  it('of equal prompts, sending one again replaces only the one of its own turn', async (t) => {
    const conversation = await opened(t);
    await say(conversation, 'one');
    await run(conversation, { type: 'sign_out' });
    await say(conversation, 'one');
    const [answered, refused] = turnsOf(conversation.state);
    assert.equal(conversation.state.outbox.length, 1);
    const waiting = async (turnId = ''): Promise<number> => {
      await settled(conversation, { type: 'retry_turn', turnId });
      return conversation.state.outbox.length;
    };
    assert.equal(await waiting(refused), 1);
    assert.equal(await waiting(answered), 2);
  });

  it('a prompt that waits for it does so no longer once it is edited', async (t) => {
    const conversation = await opened(t);
    await say(conversation, 'zero');
    await run(conversation, { type: 'sign_out' });
    await say(conversation, 'one');
    assert.equal(conversation.state.outbox.length, 1);
    await settled(conversation, { type: 'edit_turn', turnId: turnsOf(conversation.state).at(-1) ?? '' });
    assert.deepEqual([conversation.state.outbox.length, returnedIn(conversation.state)], [0, ['one']]);
  });

  it('it is refused without an agent, during a turn, and by an agent that cannot or fails', async (t) => {
    const signOut = async (conversation: ConversationClient) => codeOf(await conversation.execute({ type: 'sign_out' }));
    const conversation = await opened(t);
    assert.equal(await signOut(conversation), 'usage');
    await say(conversation, 'one');
    await run(conversation, { type: 'send', content: text('wait') });
    await reached(conversation, ({ session }) => session?.turn.type === 'running');
    assert.equal(await signOut(conversation), 'session_busy');
    for (const [SIGNS_OUT, code] of [
      ['not', 'unsupported'],
      ['fails', 'request_failed'],
    ] as const) {
      const other = await opened(t, { SIGNS_OUT });
      await say(other, 'one');
      assert.deepEqual([await signOut(other), other.state.blocker], [code, undefined]);
    }
  });
});
