import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { AgentHost } from '../../../src/core/host/agentHost.js';
import type { Session } from '../../../src/core/host/api.js';
import type { OpenJournal } from '../../../src/core/journal/journalStore.js';
import { emptySession } from '../../../src/core/session/reducer.js';
import { MODE_OPTION_ID } from '../../../src/core/session/sessionOption.js';
import { conversationIn, hostOf, journalsOf, lines, text, until } from './launch.js';
import { noticeText } from '../../../src/text/noticeText.js';

const restart = { firstDelayMs: 20, maxDelayMs: 40 };
const cutTurn = ['user: die 9', 'agent: half', 'end interrupted agent_exited'];

/** A conversation whose agent was lost, and is running again. */
async function lostConversation(
  t: TestContext,
  env: Record<string, string>,
  journal?: OpenJournal,
): Promise<{ readonly host: AgentHost; readonly session: Session; resume(): Promise<Session> }> {
  const host = await hostOf(t, 'obedient', { restart, env });
  const session = await host.newSession({ journal });
  await session.prompt(text('say hi'));
  const restarted = new Promise<void>((resolve) => host.onRestarted(resolve));
  await session.prompt(text('die 9'));
  await restarted;
  return { host, session, resume: () => host.loadSession(session.id, session.state, { journal }) };
}

/** Records the methods that the host calls from now on. */
function callsOf(host: AgentHost): string[] {
  const calls: string[] = [];
  host.onTraffic((entry) => {
    if (entry.direction === 'sent' && entry.kind === 'message') calls.push(String(Object(entry.message).method));
  });
  return calls;
}

describe('an agent that resumes', () => {
  it('it continues with the saved conversation, and reports that', async (t) => {
    const { resume } = await lostConversation(t, { OBEDIENT_CAN: 'resume' });
    const session = await resume();
    assert.equal(session.openedBy, 'resumed');
    await session.prompt(text('say back'));
    assert.deepEqual(lines(session.state), [
      'user: say hi',
      'agent: hi',
      'end end_turn',
      ...cutTurn,
      'user: say back',
      'agent: back',
      'end end_turn',
    ]);
  });

  it('it resumes if its load fails', async (t) => {
    const { resume } = await lostConversation(t, { OBEDIENT_CAN: 'load resume', OBEDIENT_LOAD_FAILS: '1' });
    const session = await resume();
    assert.deepEqual([session.live, session.openedBy], [true, 'resumed']);
  });

  it('it does not resume a session that it does not know', async (t) => {
    const host = await hostOf(t, 'obedient', { env: { OBEDIENT_CAN: 'load resume' } });
    await host.start();
    const calls = callsOf(host);
    await assert.rejects(host.loadSession('unknown'), { code: 'session_unknown' });
    assert.deepEqual(calls, ['session/load']);
  });

  it('it does not resume while it may still be loading, because its late replay would be shown twice', async (t) => {
    const env = { OBEDIENT_CAN: 'load resume', OBEDIENT_LOADS_LATE: '1' };
    const host = await hostOf(t, 'obedient', { env, deadlines: { sessionMs: 50 } });
    await host.start();
    const calls = callsOf(host);
    await assert.rejects(host.loadSession('old', emptySession('old', '/', 0)), { code: 'request_timeout' });
    assert.deepEqual(calls, ['session/load', '$/cancel_request']);
  });
});

describe('a session that cannot be resumed', () => {
  for (const [words, env, code] of [
    ['the agent forgot it', { OBEDIENT_FORGETS: '1' }, 'session_unknown'],
    ['the agent takes up none', { OBEDIENT_CAN: 'nothing' }, 'unsupported'],
    ['the agent fails at it', { OBEDIENT_LOAD_FAILS: '1' }, 'request_failed'],
  ] as const) {
    it(`it stays unchanged: ${words}`, async (t) => {
      const { host, session, resume } = await lostConversation(t, env);
      await assert.rejects(resume(), { code });
      assert.deepEqual([host.status.state, session.live], ['failed', false]);
      assert.deepEqual(lines(session.state).slice(3), cutTurn);
    });
  }

  it('the user can continue in a new one, and the saved conversation has both, oldest first', async (t) => {
    const { journal, read } = conversationIn(await journalsOf(t));
    const { host, session, resume } = await lostConversation(t, { OBEDIENT_CAN: 'nothing', OBEDIENT_UNIQUE_IDS: '1' }, journal);
    await assert.rejects(resume(), { code: 'unsupported' });
    const fresh = await host.newSession({ continues: session.id, journal });
    assert.deepEqual([fresh.openedBy, fresh.state.continues, host.status.state], ['replacement', session.id, 'ready']);
    await fresh.prompt(text('say on'));
    await host.stop();
    assert.deepEqual((await read()).map(lines), [
      ['user: say hi', 'agent: hi', 'end end_turn', ...cutTurn],
      ['user: say on', 'agent: on', 'end end_turn'],
    ]);
  });
});

describe('what the agent forgot', () => {
  it('a lost conversation is kept, and reported once', async (t) => {
    const { host, resume } = await lostConversation(t, { OBEDIENT_REPLAYS: '["something else"]' });
    const notice = 'notice recall_other_conversation';
    const session = await resume();
    assert.deepEqual(lines(session.state).slice(3), [...cutTurn, notice]);
    await host.stop();
    const again = await host.loadSession(session.id, session.state);
    assert.deepEqual(lines(again.state).slice(3), [...cutTurn, notice]);
  });

  it('lost turns at its end are counted', async (t) => {
    const env = { OBEDIENT_REPLAYS: '["say hi"]' };
    const host = await hostOf(t, 'obedient', { env });
    const session = await host.newSession();
    for (const words of ['say hi', 'say two', 'say three']) await session.prompt(text(words));
    await host.stop();
    const again = await host.loadSession(session.id, session.state);
    const notice = again.state.items.at(-1);
    assert.ok(notice?.kind === 'notice');
    assert.ok('code' in notice && notice.code === 'recall_tail_lost');
    assert.deepEqual(notice.params, { prompts: 2, since: 'say two' });
  });

  it('lost options are set again', async (t) => {
    const host = await hostOf(t, 'obedient', { env: { OBEDIENT_DEPTHS: 'low high' } });
    const session = await host.newSession();
    await session.setOption('depth', 'high');
    await session.setOption(MODE_OPTION_ID, 'free');
    await session.prompt(text('say hi'));
    await host.stop();
    await host.start();
    const calls = callsOf(host);
    const again = await host.loadSession(session.id, session.state);
    assert.deepEqual(
      again.state.options.map(({ id, currentValue }) => [id, currentValue]),
      [
        [MODE_OPTION_ID, 'free'],
        ['depth', 'high'],
      ],
    );
    assert.deepEqual(calls, ['session/load', 'session/set_mode', 'session/set_config_option']);
  });

  for (const [words, env, problem] of [
    ['is no longer offered', { OBEDIENT_DEPTHS: 'low' }, 'Depth "high" is no longer available.'],
    ['is refused', { OBEDIENT_DEPTHS: 'low high', OBEDIENT_REFUSES_DEPTH: 'high' }, 'Depth "high" was refused: Not today.'],
  ] as const) {
    it(`a change is reported: ${words}`, async (t) => {
      const first = await hostOf(t, 'obedient', { env: { OBEDIENT_DEPTHS: 'low high' } });
      const session = await first.newSession();
      await session.setOption('depth', 'high');
      await session.prompt(text('say hi'));
      const again = await (await hostOf(t, 'obedient', { env })).loadSession(session.id, session.state);
      const notice = again.state.items.at(-1);
      assert.equal(notice?.kind === 'notice' ? noticeText(notice, 'obedient').description : undefined, problem);
      assert.equal(again.state.options.find(({ id }) => id === 'depth')?.currentValue, 'low');
    });
  }
});

describe('a session that the user left', () => {
  it('it continues without a load when the user comes back, if the agent cannot close sessions', async (t) => {
    const host = await hostOf(t, 'obedient');
    const session = await host.newSession();
    await host.closeSession(session);
    const calls = callsOf(host);
    assert.equal(await host.loadSession(session.id), session);
    assert.equal((await session.prompt(text('say back'))).type, 'ended');
    assert.deepEqual(calls, ['session/prompt']);
  });

  it('if it is left while it is being resumed, it stays closed, and the agent may forget it', async (t) => {
    const host = await hostOf(t, 'obedient', { env: { OBEDIENT_CAN: 'load close', OBEDIENT_LOADS_LATE: '1' } });
    await host.start();
    const calls = callsOf(host);
    const loading = host.loadSession('old');
    await new Promise<void>((resolve) => {
      host.onTraffic((entry) => {
        if (entry.kind === 'message' && Object(entry.message).method === 'session/load') resolve();
      });
    });
    const closing = host.closeSession(host.sessions.get('old') ?? assert.fail('not known'));
    await host.newSession();
    const session = await loading;
    await closing;
    assert.deepEqual(calls, ['session/load', 'session/new', 'session/close']);
    assert.deepEqual([session.live, host.sessions.has('old')], [false, false]);
  });

  it('an agent that can close sessions closes it: its turn ends, and the journal has the end', async (t) => {
    const { journal, read } = conversationIn(await journalsOf(t));
    const host = await hostOf(t, 'obedient', { env: { OBEDIENT_CAN: 'load close' } });
    const session = await host.newSession({ journal });
    const outcome = session.prompt(text('wait'));
    await until(session, (state) => state.items.length === 2);
    const calls = callsOf(host);
    await host.closeSession(session);
    assert.equal((await outcome).type, 'ended');
    assert.deepEqual(calls, ['session/cancel', 'session/close']);
    assert.deepEqual([host.sessions.size, host.status.state], [0, 'ready']);
    const again = await host.loadSession(session.id, (await read()).at(-1), { journal });
    assert.deepEqual(lines(again.state).slice(0, 3), ['user: wait', 'tool Wait (cancelled)', 'end cancelled']);
  });
});
