import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { AgentStatus, Session } from '../../../src/core/host/api.js';
import type { HostError } from '../../../src/core/base/errors.js';
import type { TrafficEntry } from '../../../src/core/traffic/trafficEntry.js';
import { conversationIn, hostOf, journalsOf, lines, temporaryFolder, text, until } from './launch.js';
import { MODE_OPTION_ID, selectOf } from '../../../src/core/session/sessionOption.js';
import { selectOption } from '../../../src/core/session/userRequest.js';
import { errorCause } from '../../../src/text/errorCause.js';

describe('starting', () => {
  it('concurrent starts share one process', async (t) => {
    const host = await hostOf(t, 'obedient');
    const [a, b] = await Promise.all([host.start(), host.start()]);
    assert.equal(a, b);
    assert.equal(a.name, 'obedient');
  });

  it('the states are reported in order', async (t) => {
    const host = await hostOf(t, 'obedient');
    const states: AgentStatus['state'][] = [];
    host.onStatus((status) => states.push(status.state));
    const session = await host.newSession();
    await session.prompt(text('say hi'));
    await host.stop();
    assert.deepEqual(states, ['starting', 'ready', 'starting', 'ready', 'busy', 'ready', 'stopped']);
  });

  it('a missing agent fails with its code, and a later start may succeed', async (t) => {
    const host = await hostOf(t, 'obedient', {
      agent: { id: 'x', label: 'X', command: 'no-such-agent-here', args: [], env: {}, protocol: 'acp' },
    });
    await assert.rejects(host.start(), { code: 'agent_not_found' });
    assert.equal(host.status.state, 'failed');
    await assert.rejects(host.start(), { code: 'agent_not_found' });
  });

  it('the error for a missing agent has the command that installs it on this machine', async (t) => {
    const bin = await temporaryFolder(t);
    await writeFile(join(bin, 'pipx'), '#!/bin/sh\n', { mode: 0o755 });
    const agent = { id: 'x', label: 'X', command: 'agentao', args: [], env: { PATH: bin }, protocol: 'acp' } as const;
    const host = await hostOf(t, 'obedient', { agent });
    await assert.rejects(host.start(), ({ params }: HostError) => params['installCommand'] === 'pipx install agentao');
  });

  it("session updates before the answer with the session's id are not lost", async (t) => {
    const host = await hostOf(t, 'obedient');
    const session = await host.newSession();
    assert.deepEqual(
      session.state.commands.map((command) => command.name),
      ['early'],
    );
  });

  it('an agent that requires a sign-in is "failed" until a session opens', async (t) => {
    const host = await hostOf(t, 'obedient', { env: { OBEDIENT_SIGNED_OUT: '1' } });
    await assert.rejects(host.newSession(), { code: 'auth_required' });
    assert.equal(host.status.state, 'failed');
    await host.authenticate('in');
    await host.newSession();
    assert.equal(host.status.state, 'ready');
  });
});

describe('turns', () => {
  it('only one runs at a time: a second prompt is refused and leaves no trace', async (t) => {
    const session = await (await hostOf(t, 'obedient')).newSession();
    const first = session.prompt(text('say one'));
    await assert.rejects(session.prompt(text('say never')), { code: 'session_busy' });
    assert.deepEqual(session.state.queue, []);
    await first;
    await session.prompt(text('say two'));
    assert.deepEqual(lines(session.state), ['user: say one', 'agent: one', 'end end_turn', 'user: say two', 'agent: two', 'end end_turn']);
  });

  it('a listener for the end of a turn may begin the next one', async (t) => {
    const session = await (await hostOf(t, 'obedient')).newSession();
    const outcome = new Promise<unknown>((resolve) => {
      const ended = session.onEvent(({ type }) => {
        if (type !== 'turn_ended') return;
        ended.dispose();
        resolve(session.prompt(text('say two')));
      });
    });
    await session.prompt(text('say one'));
    await outcome;
    assert.deepEqual(
      lines(session.state).filter((line) => line.startsWith('agent')),
      ['agent: one', 'agent: two'],
    );
  });

  it('an empty turn produces no messages, only the redacted stderr tail', async (t) => {
    const session = await (await hostOf(t, 'obedient')).newSession();
    const outcome = await session.prompt(text('nothing'));
    assert.ok(outcome.type === 'ended' && outcome.silent);
    assert.match(outcome.stderrTail ?? '', /the reason is on stderr, key \[redacted\]/);
  });

  it('stderr from an earlier turn does not explain a later one', async (t) => {
    const session = await (await hostOf(t, 'obedient')).newSession();
    await session.prompt(text('nothing'));
    const outcome = await session.prompt(text('nothing'));
    assert.ok(outcome.type === 'ended' && outcome.silent);
    assert.equal((outcome.stderrTail ?? '').split('the reason is on stderr').length, 2);
  });

  it('a request answered at the moment it is reported is closed in the state, too', async (t) => {
    const session = await (await hostOf(t, 'obedient')).newSession();
    session.onEvent((event) => {
      if (event.type === 'request_opened') session.answer(event.request.id, { type: 'cancel' });
    });
    await session.prompt(text('ask'));
    assert.deepEqual(session.state.requests, []);
  });

  it('the agent waits for a permission and gets the answer', async (t) => {
    const host = await hostOf(t, 'obedient');
    const session = await host.newSession();
    const outcome = session.prompt(text('ask'));
    const { requests, items } = await until(session, (state) => state.requests.length === 1);
    assert.deepEqual(host.status, { state: 'waiting', since: requests[0]?.at, requests: 1 });
    const request = requests[0];
    assert.ok(request?.kind === 'permission');
    assert.equal(request.subject.itemId, items.find((item) => item.kind === 'tool')?.id);
    assert.equal(session.answer(request.id, selectOption('other')), false);
    assert.equal(session.answer(request.id, selectOption('no')), true);
    await outcome;
    assert.equal(lines(session.state).at(-2), 'agent: no');
  });

  it('a cancel answers an open permission and all later ones of the turn', async (t) => {
    const session = await (await hostOf(t, 'obedient')).newSession();
    const outcome = session.prompt(text('askTwice'));
    await until(session, (state) => state.requests.length === 1);
    session.cancel();
    session.cancel();
    assert.deepEqual(await outcome, { type: 'ended', stopReason: 'cancelled', silent: false });
    assert.equal(lines(session.state).at(-2), 'agent: cancelled cancelled');
  });

  it('a cancel closes the tool calls that the agent leaves open', async (t) => {
    const session = await (await hostOf(t, 'obedient')).newSession();
    const outcome = session.prompt(text('wait'));
    await until(session, (state) => state.items.some((item) => item.kind === 'tool'));
    session.cancel();
    assert.equal((await outcome).type, 'ended');
    assert.deepEqual(lines(session.state), ['user: wait', 'tool Wait (cancelled)', 'end cancelled']);
    await session.prompt(text('say after'));
    assert.equal(lines(session.state).at(-2), 'agent: after');
  });

  it('an agent that answers a cancel with an error counts as canceled', async (t) => {
    const session = await (await hostOf(t, 'obedient')).newSession();
    const outcome = session.prompt(text('failOnCancel'));
    await until(session, (state) => state.items.length === 2);
    session.cancel();
    assert.deepEqual(await outcome, { type: 'ended', stopReason: 'cancelled', silent: false });
  });
});

describe('an agent that crashes', () => {
  it('it interrupts its turn, keeps the output, and reports the cause', async (t) => {
    const host = await hostOf(t, 'obedient');
    const session = await host.newSession();
    const outcome = await session.prompt(text('die 3'));
    assert.ok(outcome.type === 'interrupted');
    assert.equal(errorCause(outcome.error, 'obedient'), 'obedient exited with code 3.');
    assert.match(outcome.stderrTail ?? '', /dying now/);
    assert.deepEqual(lines(session.state), ['user: die 3', 'agent: half', 'end interrupted agent_exited']);
    assert.equal(session.live, false);
    assert.equal(host.status.state, 'failed');
    await assert.rejects(session.prompt(text('say hi')), { code: 'agent_exited' });
  });

  it('it can be started again, and the conversation continues in the same mode without duplicates', async (t) => {
    const host = await hostOf(t, 'obedient');
    const session = await host.newSession();
    await session.setOption(MODE_OPTION_ID, 'free');
    await session.prompt(text('die 1'));
    const again = await host.loadSession(session.id, session.state);
    assert.deepEqual(lines(again.state), ['user: die 1', 'agent: half', 'end interrupted agent_exited']);
    assert.equal(selectOf(again.state.options, 'mode')?.currentValue, 'free');
    await again.prompt(text('say back'));
    assert.deepEqual(lines(again.state).slice(3), ['user: say back', 'agent: back', 'end end_turn']);
  });
});

describe('loading', () => {
  it('without a saved transcript, the replay becomes the transcript', async (t) => {
    const session = await (await hostOf(t, 'obedient')).loadSession('old');
    assert.deepEqual(lines(session.state), ['user: old prompt', 'agent: old answer']);
  });

  it('concurrent requests for a session open it once', async (t) => {
    const host = await hostOf(t, 'obedient');
    const session = await host.newSession();
    await session.prompt(text('die 1'));
    const load = (): Promise<Session> => host.loadSession(session.id, session.state);
    const [one, other] = await Promise.all([load(), load()]);
    assert.equal(one, other);
    assert.deepEqual(lines(one.state), ['user: die 1', 'agent: half', 'end interrupted agent_exited']);
    assert.equal(host.diagnostics().requests.filter(({ method }) => method === 'session/load').length, 1);
  });

  it('a session that the agent does not know is an error, never a new session', async (t) => {
    const host = await hostOf(t, 'obedient');
    await assert.rejects(
      host.loadSession('unknown'),
      (error: { code: string }) => error.code === 'session_unknown' || error.code === 'request_failed',
    );
    assert.equal(host.sessions.size, 0);
  });

  it('what was saved of it is the transcript, and the session continues in its journal', async (t) => {
    const { journal, read } = conversationIn(await journalsOf(t));
    const first = await hostOf(t, 'obedient');
    const session = await first.newSession({ journal });
    await session.prompt(text('say first'));
    await first.stop();
    const second = await hostOf(t, 'obedient');
    const again = await second.loadSession(session.id, (await read()).at(-1), { journal });
    await again.prompt(text('say second'));
    const expected = ['user: say first', 'agent: first', 'end end_turn', 'user: say second', 'agent: second', 'end end_turn'];
    assert.deepEqual(lines(again.state), expected);
    await second.stop();
    assert.deepEqual((await read()).map(lines), [expected]);
  });

  it('a session that its agent names again and again has the same title when it is read back', async (t) => {
    const { journal, read } = conversationIn(await journalsOf(t));
    const host = await hostOf(t, 'titlesSession');
    const session = await host.newSession({ journal });
    // The last one is the beginning of the prompt, which says less.
    await session.prompt(text('Session 1\nTolerant parser\nSession 1'));
    await host.stop();
    assert.deepEqual([session.state.title, (await read()).at(-1)?.title], ['Tolerant parser', 'Tolerant parser']);
  });
});

describe('safety', () => {
  it('traffic is redacted, and the agent gets the configured environment', async (t) => {
    const host = await hostOf(t, 'obedient', { env: { MY_API_KEY: 'quite-secret-value' } });
    const seen: TrafficEntry[] = [];
    host.onTraffic((entry) => seen.push(entry));
    const session = await host.newSession();
    await session.prompt(text('env MY_API_KEY'));
    assert.equal(lines(session.state)[1], 'agent: quite-secret-value');
    assert.ok(seen.some((entry) => entry.direction === 'sent') && seen.some((entry) => entry.direction === 'received'));
    assert.ok(!JSON.stringify(seen).includes('quite-secret-value'));
  });
});
