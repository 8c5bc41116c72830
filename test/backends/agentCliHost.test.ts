/** A host with Agent-CLI's server: what happens to a conversation when the server is lost or does not stop. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { type AgentHost, createAgentHost } from '../../src/core/host/agentHost.js';
import type { AgentStatus } from '../../src/core/host/api.js';
import { selectOption } from '../../src/core/session/userRequest.js';
import { lines, temporaryFolder, text } from '../core/host/launch.js';
import { nextRequest, statusReached, within } from '../real/deadline.js';
import { startStandIn } from '../standIns/startStandIn.js';
import { collect, rejects } from './seam.js';

const inputName = (input: unknown): string => (typeof input === 'string' ? input : (Object.keys(Object(input))[0] ?? ''));

async function hostOf(t: TestContext, url: string): Promise<{ readonly host: AgentHost; readonly statuses: readonly AgentStatus[] }> {
  const host = createAgentHost({
    agent: { id: 'stand-in', label: 'Stand-in', protocol: 'agent-cli', url },
    cwd: await temporaryFolder(t),
    clientInfo: { name: 'test', title: 'Test', version: '0.0.0' },
    terminalAuth: false,
    restart: { firstDelayMs: 20 },
  });
  t.after(async () => {
    await host.stop({ force: true });
    host.dispose();
  });
  const statuses = collect<AgentStatus>();
  host.onStatus(statuses.add);
  return { host, statuses: statuses.all };
}

test('after a lost connection, the host reconnects, and the user decides how the conversation continues', async (t) => {
  const { url, frames, notes } = await startStandIn(t, 'agentCli', ['--real']);
  const { host } = await hostOf(t, url);
  const session = await host.newSession();
  await within(session.prompt(text('my name is Ada')), 'end');
  const restarted = new Promise<void>((resolve) => host.onRestarted(resolve));
  const outcome = await within(session.prompt(text('die')), 'end');
  assert.ok(outcome.type === 'interrupted' && outcome.error.params.reason === 'connection_closed', JSON.stringify(outcome));
  await restarted;
  await rejects(host.loadSession(session.id, session.state), 'unsupported');
  const next = await host.newSession({ continues: session.id });
  await within(next.prompt(text('go on')), 'end');
  assert.equal(next.openedBy, 'replacement');
  assert.ok(lines(session.state).includes('user: my name is Ada'));
  await notes.until('last prompt', ({ frame }) => JSON.stringify(frame?.['input']) === '{"Text":"go on"}');
  const said = frames().flatMap(({ input }) => (inputName(input) === 'Text' ? [JSON.stringify(input)] : []));
  assert.deepEqual(said, ['{"Text":"my name is Ada"}', '{"Text":"die"}', '{"Text":"go on"}']);
});

test('if a server ignores every interrupt, the turn ends as stopped, the connection is closed, and the user chooses how to continue', async (t) => {
  const { url, notes } = await startStandIn(t, 'agentCli', ['--real']);
  const { host, statuses } = await hostOf(t, url);
  const session = await host.newSession();
  const restarted = new Promise<void>((resolve) => host.onRestarted(resolve));
  const turn = session.prompt(text('hangOn'));
  await notes.until('prompt', ({ frame }) => inputName(frame?.['input']) === 'Text');
  session.cancel();
  const outcome = await within(turn, 'end');
  assert.ok(outcome.type === 'ended' && outcome.stopReason === 'cancelled', JSON.stringify(outcome));
  await notes.until('end of the connection', ({ event }) => event === 'gone');
  await restarted;
  const lost = statuses.find(({ state }) => state === 'reconnecting');
  assert.ok(lost?.state === 'reconnecting' && lost.reason?.params.reason === 'stop_ignored', JSON.stringify(statuses));
  await rejects(host.loadSession(session.id, session.state), 'unsupported');
});

test('a lost idle connection is retried at growing intervals', async (t) => {
  const standIn = await startStandIn(t, 'agentCli', ['--real']);
  const { host, statuses } = await hostOf(t, standIn.url);
  const session = await host.newSession();
  await within(session.prompt(text('hello')), 'end');
  await standIn.kill();
  await statusReached(host, 'failed');
  const waits = statuses.flatMap((status) =>
    status.state === 'reconnecting' && status.retryAt !== undefined ? [status.retryAt - status.since] : [],
  );
  assert.equal(waits.length, 5);
  assert.ok(
    waits.every((wait, index) => index === 0 || wait > (waits[index - 1] ?? 0)),
    waits.join(),
  );
});

test('turns of the host: prompts are queued, a request is answered, and a turn is stopped', async (t) => {
  const { url } = await startStandIn(t, 'agentCli', ['--documented']);
  const { host } = await hostOf(t, url);
  const session = await host.newSession();
  const turn = session.prompt(text('ask'));
  const request = await nextRequest(session);
  session.answer(request.id, selectOption('approve'));
  await within(turn, 'end');
  const hanging = session.prompt(text('hang'));
  await rejects(session.prompt(text('now')), 'session_busy');
  session.cancel();
  const outcome = await within(hanging, 'end');
  assert.ok(outcome.type === 'ended' && outcome.stopReason === 'cancelled');
});
