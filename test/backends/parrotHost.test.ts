/** Everything between the seam and a front end with an unknown protocol: host, journal, traffic, trace, diagnostics. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import {
  type AgentHost,
  type AgentHostOptions,
  createAgentHost,
  createJournalStore,
  examine,
  type Finding,
  findKnownAgent,
  formatTrace,
  frameDescriberOf,
  HostError,
  nullLogger,
  type OpenJournal,
  parseTrace,
  processesOf,
  readConversation,
  Redactor,
  TracePlayer,
} from '../../src/core/index.js';
import { lines, temporaryFolder, text, until } from '../core/host/launch.js';
import { nextRequest, within } from '../real/deadline.js';
import { parrotAgent } from './addParrot.js';
import { rejects } from './seam.js';
import { findingText, type FindingText } from '../../src/text/findingText.js';
import { deviationText } from '../../src/text/replayText.js';

async function parrotHost(t: TestContext, options: Partial<AgentHostOptions> = {}): Promise<AgentHost> {
  const host = createAgentHost({
    agent: parrotAgent,
    cwd: await temporaryFolder(t),
    clientInfo: { name: 'test', title: 'Test', version: '0.0.0' },
    terminalAuth: false,
    ...options,
  });
  t.after(async () => {
    await host.stop({ force: true });
    host.dispose();
  });
  return host;
}

test("a prompt, a follow-up in the agent's queue, and a removed one", async (t) => {
  const session = await (await parrotHost(t)).newSession();
  const turn = session.prompt(text('ask'));
  const request = await nextRequest(session);
  assert.equal(request.kind, 'confirm');
  const followUps = ['more words', 'never said'].map((words) => session.prompt(text(words), { delivery: 'followUp' }));
  const { queue } = await until(session, (state) => state.queue.length === 2);
  assert.deepEqual(
    queue.map(({ content }) => content),
    [text('more words'), text('never said')],
  );
  await session.unqueue(queue[1]?.id ?? '');
  await until(session, (state) => state.queue.length === 1);
  assert.equal(session.answer(request.id, { type: 'accept', values: {} }), true);
  const outcome = await within(turn, 'end');
  assert.equal(outcome.type, 'ended');
  // They belong to the running turn, and end with it.
  assert.deepEqual(await within(Promise.all(followUps), 'end of the follow-ups'), [outcome, outcome]);
  assert.deepEqual(lines(session.state), [
    'agent: Ahoy. ',
    'user: ask',
    'agent: Squawk! ask ',
    'user: more words',
    'agent: more words ',
    'end end_turn',
  ]);
  assert.deepEqual(session.state.queue, []);
});

test('an option, a refusal by the user, a failed turn, and a canceled one', async (t) => {
  const host = await parrotHost(t);
  const session = await host.newSession();
  await session.setOption('mood', 'loud');
  assert.equal(session.state.options[0]?.currentValue, 'loud');
  const turn = session.prompt(text('ask'));
  const request = await nextRequest(session);
  assert.equal(host.status.state, 'waiting');
  session.answer(request.id, { type: 'decline' });
  await within(turn, 'end');
  assert.ok(lines(session.state).includes('agent: …ASK ') || lines(session.state).includes('agent: … ASK '), lines(session.state).join());
  const failed = await within(session.prompt(text('oops')), 'end');
  assert.deepEqual([failed.type, host.status.state], ['failed', 'ready']);
  const asking = session.prompt(text('ask'));
  await nextRequest(session, request);
  session.cancel();
  const cancelled = await within(asking, 'end');
  assert.ok(cancelled.type === 'ended' && cancelled.stopReason === 'cancelled');
  assert.deepEqual(session.state.requests, []);
});

test('an agent that crashes and saves no sessions is restarted, the conversation is refused, and nothing is sent twice', async (t) => {
  const folder = await temporaryFolder(t);
  const journals = createJournalStore({ directory: path.join(folder, 'kept'), redactor: new Redactor(), log: nullLogger });
  const journal: OpenJournal = (session, isNew) => journals.open('c1', session, isNew);
  const host = await parrotHost(t, { restart: { firstDelayMs: 1 } });
  const session = await host.newSession({ journal });
  await within(session.prompt(text('hello')), 'end');
  const again = new Promise<void>((resolve) => host.onRestarted(resolve));
  const dying = session.prompt(text('die'));
  const second = rejects(session.prompt(text('later')), 'session_busy');
  const outcome = await within(dying, 'end');
  assert.ok(outcome.type === 'interrupted' && outcome.error.params['exitCode'] === 9, JSON.stringify(outcome));
  await second;
  await within(again, 'restart');
  await rejects(host.loadSession(session.id, session.state, { journal }), 'unsupported');
  assert.deepEqual([session.live, host.status.state], [false, 'failed']);
  await rejects(session.prompt(text('more')), 'agent_exited');
  // The agent is running, so a new session continues the old one.
  const next = await host.newSession({ continues: session.id, journal });
  await within(next.prompt(text('hello again')), 'end');
  assert.equal(next.openedBy, 'replacement');
  const sent = host
    .readTraffic()
    .flatMap(({ entry }) => (entry.kind === 'message' && entry.direction === 'sent' ? [JSON.stringify(entry.message)] : []));
  for (const words of ['die', 'hello again']) assert.equal(sent.filter((line) => line.includes(`"text":"${words}"`)).length, 1, words);
  assert.ok(!sent.some((line) => line.includes('later')));
  await host.stop();
  assert.equal(host.diagnostics().counters.restarts, 1);
  // Each process numbers its sessions from the start, so both have the same id.
  assert.equal(next.id, session.id);
  const saved = await readConversation(journals, 'c1');
  assert.deepEqual(saved.map(lines), [lines(session.state), lines(next.state)]);
});

test('its protocol describes the traffic, which is exported as a trace and replayed', async (t) => {
  const host = await parrotHost(t);
  const session = await host.newSession();
  await within(session.prompt(text('one two')), 'end');
  await host.stop();
  const frames = host.readTraffic().flatMap(({ frame }) => frame ?? []);
  assert.deepEqual(
    frames.slice(0, 5).map(({ kind, method }) => `${kind} ${method}`),
    ['request hello', 'notification hello', 'request open', 'notification word', 'notification opened'],
  );
  const { info, requests, agent, counters } = host.diagnostics();
  assert.deepEqual([info?.name, agent.protocol, counters.starts], ['Parrot', 'parrot', 1]);
  assert.deepEqual(
    requests.map(({ method }) => method),
    ['hello', 'open', 'say'],
  );

  const about = { protocol: 'parrot', host: '0', agent: { id: 'parrot', label: 'Parrot' } };
  const trace = parseTrace(formatTrace(about, host.readTraffic()));
  assert.equal(trace.header?.protocol, 'parrot');
  const written: string[] = [];
  const complaints: string[] = [];
  const [steps = []] = processesOf(trace);
  const player = new TracePlayer(steps, frameDescriberOf('parrot') ?? assert.fail('no describer'), {
    write: (line) => void written.push(line),
    writeStderr: () => {},
    tell: (deviation) => void complaints.push(deviationText(deviation)),
    exit: () => {},
  });
  player.start();
  for (const line of ['{"do":"hello"}', '{"do":"open"}', '{"do":"say","session":"p1","text":"one two"}']) player.receive(line);
  assert.equal(player.end(), true);
  assert.deepEqual(complaints, []);
  assert.deepEqual(
    written.map((line) => JSON.parse(line).is),
    ['hello', 'word', 'opened', 'word', 'word', 'done'],
  );
});

test('the doctor checks it with suitable texts', async (t) => {
  const folder = await temporaryFolder(t);
  const host = { agent: parrotAgent, cwd: folder, clientInfo: { name: 'test', title: 'Test', version: '0' }, terminalAuth: false };
  const findings: Finding[] = [];
  for await (const finding of examine({ host, storageDirectory: path.join(folder, 'kept') })) findings.push(finding);
  assert.deepEqual(
    findings.filter(({ state }) => state === 'problem'),
    [],
  );
  const wordsFor = (check: string): FindingText =>
    findingText(findings.find((finding) => finding.check === check) ?? assert.fail(`no finding of ${check}`), 'terminal');
  assert.match(wordsFor('handshake').title, /^Parrot 1\.0 responded /);
  assert.match(wordsFor('capabilities').detail ?? '', /load a session +no/);
  assert.ok(!JSON.stringify(findings.map((finding) => findingText(finding, 'terminal'))).includes('initialize'));
});

test('a definition of it can be a known agent; an unregistered protocol is refused', async (t) => {
  assert.equal(findKnownAgent('parrot')?.protocol, 'parrot');
  const cwd = await temporaryFolder(t);
  const stranger = { ...parrotAgent, protocol: 'cormorant' };
  assert.throws(
    () => createAgentHost({ agent: stranger, cwd, clientInfo: { name: 't', title: 'T', version: '0' }, terminalAuth: false }),
    (error) => error instanceof HostError && error.code === 'usage',
  );
  assert.equal(frameDescriberOf('cormorant'), undefined);
});
