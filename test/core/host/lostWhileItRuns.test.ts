/** An agent that loses a session or its own launcher, and reports that in its own way. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { addKnownAgent, loadableFrom } from '../../../src/core/agents/knownAgents.js';
import { HostError } from '../../../src/core/base/errors.js';
import type { AgentHost } from '../../../src/core/host/agentHost.js';
import type { Session } from '../../../src/core/host/api.js';
import { hostOf, lines, resumedAfterRestart, temporaryFolder, text, until } from './launch.js';

const restart = { firstDelayMs: 20, maxDelayMs: 40 };

/** A session with one turn. */
async function begun(
  t: TestContext,
  loses: string,
  answers = {},
): Promise<{ readonly host: AgentHost; readonly session: Session; readonly taken: () => Promise<string> }> {
  const cwd = await temporaryFolder(t);
  const host = await hostOf(t, 'losesSession', { cwd, restart, env: { LOSES: loses, ...answers } });
  const session = await host.newSession();
  await session.prompt(text('first'));
  return { host, session, taken: async () => readFile(join(cwd, 'taken'), 'utf8') };
}

const isExit = (error: unknown): boolean => error instanceof HostError && error.code === 'agent_exited';

const first = ['user: first', 'agent: answer to first', 'end end_turn'];

describe('a session that a running agent loses', () => {
  it('it is loaded again, and the refused prompt is answered', async (t) => {
    const { session, taken } = await begun(t, 'between');
    assert.deepEqual(await session.prompt(text('second')), { type: 'ended', stopReason: 'end_turn', silent: false });
    assert.deepEqual(lines(session.state), [...first, 'user: second', 'agent: answer to second', 'end end_turn']);
    assert.equal(await taken(), 'first\nsecond\n');
  });

  const answers: Readonly<Record<string, object>> = {
    'an internal error with details': { code: -32603, message: 'Internal error', data: { details: 'Session not found' } },
    'an internal error with a message': { code: -32603, message: 'Session not found: s1' },
    'invalid params': { code: -32602, message: 'Invalid params', data: { message: 'Unknown session: s1' } },
    'a code of its own': { code: -32099, message: 'The session s1 does not exist' },
  };
  for (const [what, answer] of Object.entries(answers)) {
    it(`reported as ${what}, it is loaded again, and the refused prompt is answered`, async (t) => {
      const { session, taken } = await begun(t, 'between', { ANSWER: JSON.stringify(answer) });
      assert.equal((await session.prompt(text('second'))).type, 'ended');
      assert.equal(await taken(), 'first\nsecond\n');
    });
  }

  it('if it only fails again and again, it is loaded again once, and no prompt is sent twice', async (t) => {
    const dead = (details: string): string => JSON.stringify({ code: -32603, message: 'Internal error', data: { details } });
    const env = { ANSWER: dead('The inner process exited with code 143'), LATER: dead('The transport is not ready for writing') };
    const { session, taken } = await begun(t, 'between', env);
    assert.equal((await session.prompt(text('second'))).type, 'failed');
    assert.equal((await session.prompt(text('third'))).type, 'failed');
    assert.equal((await session.prompt(text('fourth'))).type, 'ended');
    assert.equal(await taken(), 'first\nfourth\n');
  });

  it('during a turn, it is loaded again, and the prompt is left to the user', async (t) => {
    const { session, taken } = await begun(t, 'midway');
    const outcome = await session.prompt(text('second'));
    assert.ok(outcome.type === 'interrupted' && outcome.error.code === 'session_unknown');
    assert.equal(session.live, true);
    assert.equal((await session.prompt(text('third'))).type, 'ended');
    assert.equal(await taken(), 'first\nsecond\nthird\n');
  });

  for (const loses of ['forever', 'unloadable']) {
    it(`if it cannot be loaded (${loses}), the user can recover it, and nothing is sent repeatedly`, async (t) => {
      const { host, session, taken } = await begun(t, loses);
      const asked: unknown[] = [];
      host.onTraffic((entry) => {
        if (entry.direction === 'sent' && entry.kind === 'message') asked.push(entry.message);
      });
      const outcome = await session.prompt(text('second'));
      assert.ok(outcome.type === 'interrupted' && outcome.error.code === 'session_unknown');
      assert.deepEqual([session.live, session.refusal?.code], [false, 'session_unknown']);
      assert.equal(JSON.stringify(asked).split('session/load').length - 1, 1);
      assert.equal(await taken(), 'first\n');
    });
  }
});

describe('an agent that exits during a turn', () => {
  it('the error has the exit code, even if it is known before the output ends', async (t) => {
    const host = await hostOf(t, 'exitsBeforeItsOutput', { restart });
    const session = await host.newSession();
    const outcome = await session.prompt(text('first'));
    assert.ok(outcome.type === 'interrupted');
    assert.deepEqual([outcome.error.code, outcome.error.params.exitCode], ['agent_exited', 70]);
  });
});

describe('a turn that ends with `cancelled` without a cancel by the user', () => {
  const launcher = (host: AgentHost): Promise<number> =>
    new Promise((resolve) =>
      host.onTraffic((entry) => {
        const [, pid] = /"_launcher","params":\{"pid":(\d+)/.exec(JSON.stringify(entry)) ?? [];
        if (pid !== undefined) resolve(Number(pid));
      }),
    );

  it('it is interrupted if the agent ends at once, because its launcher was killed', async (t) => {
    const host = await hostOf(t, 'launchesWorker', { restart });
    const session = await host.newSession();
    const pid = launcher(host);
    const outcome = session.prompt(text('work'));
    process.kill(await pid, 'SIGKILL');
    assert.equal((await outcome).type, 'interrupted');
    assert.equal(lines(session.state).at(-1), 'end interrupted agent_exited');
  });

  it('it is a failure if the agent keeps running', async (t) => {
    const host = await hostOf(t, 'launchesWorker', { restart });
    const session = await host.newSession();
    const outcome = await session.prompt(text('rest'));
    assert.ok(outcome.type === 'failed' && outcome.error.params.reason === 'agent_cancelled');
    assert.equal(session.live, true);
  });
});

describe('an agent that replays a session after its answer to session/load', () => {
  const saved = async (t: TestContext, env: Record<string, string> = {}): Promise<Session> => {
    const host = await hostOf(t, 'replaysAfterLoad', { restart, env });
    const session = await host.newSession();
    for (const words of ['first', 'second']) await session.prompt(text(words));
    await host.stop({ force: true });
    return host.loadSession(session.id, session.state);
  };
  const before = ['first', 'second'].flatMap((words) => [`user: ${words}`, `agent: answer to ${words}`, 'end end_turn']);

  it('it counts as remembering the conversation, and the replay is not part of the next answer', async (t) => {
    const session = await saved(t);
    await session.prompt(text('third'));
    assert.deepEqual(lines(session.state), [...before, 'user: third', 'agent: answer to third', 'end end_turn']);
  });

  it('if it remembers a different conversation, this is reported', async (t) => {
    const session = await saved(t, { TELLS: '["something else"]' });
    assert.deepEqual(lines(session.state), [...before, 'notice recall_other_conversation']);
  });

  it('if it exits in the middle, it is not said to have forgotten the rest, and the next one continues', async (t) => {
    const env = { DIES_ONCE: join(await temporaryFolder(t), 'died') };
    const host = await hostOf(t, 'replaysAfterLoad', { restart, env });
    const session = await host.newSession();
    for (const words of ['first', 'second']) await session.prompt(text(words));
    await host.stop({ force: true });
    const resumed = resumedAfterRestart(host, session);
    await assert.rejects(host.loadSession(session.id, session.state), isExit);
    assert.equal(session.live, false);
    const again = await resumed;
    await again.prompt(text('third'));
    assert.deepEqual(lines(again.state), [...before, 'user: third', 'agent: answer to third', 'end end_turn']);
  });

  it('if it exits in the middle of an unknown conversation, that is an error', async (t) => {
    const host = await hostOf(t, 'replaysAfterLoad', { env: { DIES_ONCE: join(await temporaryFolder(t), 'died') } });
    await assert.rejects(host.loadSession('s1'), isExit);
  });

  it('an unknown conversation is shown completely before the next prompt', async (t) => {
    const host = await hostOf(t, 'replaysAfterLoad', { restart });
    const session = await host.loadSession('s1');
    await session.prompt(text('third'));
    const state = await until(session, ({ turn }) => turn.type === 'idle');
    const shown = lines(state);
    assert.deepEqual(shown.slice(-3), ['user: third', 'agent: answer to third', 'end end_turn']);
    assert.deepEqual(
      shown.slice(0, -3),
      ['first', 'second'].flatMap((words) => [`user: ${words}`, 'tool Look (unreported)', `agent: answer to ${words}`]),
    );
  });
});

describe('an agent that loses a session if it is loaded within a minute of its creation', () => {
  it('the host waits for the next minute to load it, and shows the wait', async (t) => {
    addKnownAgent({ id: 'loses', label: 'Loses', loadsFromNextMinute: true });
    const minute = Math.floor(Date.now() / 60_000) * 60_000;
    t.mock.method(Date, 'now', () => minute + 59_900);
    const { host, session } = await begun(t, 'between');
    await host.stop({ force: true });
    const seen: string[] = [];
    host.onStatus((status) => seen.push(status.state === 'starting' ? status.awaiting : status.state));
    host.onTraffic((entry) => {
      if (entry.direction === 'sent' && JSON.stringify(entry).includes('session/load')) seen.push('load');
    });
    await host.loadSession(session.id, session.state);
    assert.ok(seen.indexOf('next_minute') >= 0 && seen.indexOf('next_minute') < seen.indexOf('load'), seen.join());
    assert.equal(loadableFrom('loses', minute), minute + 61_000);
    assert.equal(loadableFrom('test-agent', minute), minute);
    assert.equal(loadableFrom('gemini-cli', minute), minute + 61_000, 'it was seen to do so');
  });

  it('after the clock was set back, the host does not wait', async (t) => {
    addKnownAgent({ id: 'loses', label: 'Loses', loadsFromNextMinute: true });
    const { host, session } = await begun(t, 'between');
    await host.stop({ force: true });
    t.mock.method(Date, 'now', () => session.state.createdAt - 3_600_000);
    const seen: string[] = [];
    host.onStatus((status) => seen.push(status.state === 'starting' ? status.awaiting : status.state));
    await host.loadSession(session.id, session.state);
    assert.ok(!seen.includes('next_minute'), seen.join());
  });
});
