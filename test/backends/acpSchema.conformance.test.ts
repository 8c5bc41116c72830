/**
 * The host and the whole of ACP: an agent() of the SDK that declares everything, nothing, or one thing at a time, and refuses. Everything
 * that the host sends fits the official JSON schema. The result is in docs/protocols.md.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { requests } from '../../src/core/backends/acp/schema/methods.js';
import type { BackendSession } from '../../src/core/backends/agentBackend.js';
import { type Launched, rejects } from '../core/backends/launch.js';
import { callAll, type Frame, framesOf, launchWith, type Offered, play, type Step } from './acpCoverage.js';
import { readSection, tableOf, writeSection } from './capabilities.js';
import { type OfficialMethod, OfficialSchema } from './officialSchema.js';

const stable = new OfficialSchema('schema');
const everNewer = new OfficialSchema('schema.unstable');
const { methods } = stable;
const updates = stable.variants('SessionUpdate', 'sessionUpdate');
/** What became stable after the schema of the SDK, and `session/fork`, which agents serve although it is not. An agent written by hand has it. */
const newer = {
  methods: ['session/fork'],
  updates: ['plan_update', 'plan_removed', 'subagent_update', 'session_message', 'session_message_chunk'],
  ofHost: ['plan', 'subagents'],
  ofAgent: ['sessionCapabilities.fork', 'sessionCapabilities.systemPrompt'],
};
const mark = '◆';

const [bySdk, byHand] = ['speaksAllOfAcp', 'speaksPastTheSdk'] as const;
/** Not in the capabilities of an agent, and as good as one: nothing is called without them. */
const offers = ['authMethods', 'modes', 'configOptions'] as const;
const ofAgent = stable.leaves('AgentCapabilities');
const everything: Offered = { capabilities: nested(ofAgent), authMethods: true, modes: true, configOptions: true };

/** The capability with which the host offers something to an agent. All else is always there. */
const gatesOfHost: readonly (readonly [prefix: string, capability: string])[] = [
  ['fs/read_text_file', 'fs.readTextFile'],
  ['fs/write_text_file', 'fs.writeTextFile'],
  ['terminal/', 'terminal'],
  ['elicitation/create', 'elicitation.form'],
  ['elicitation/complete', 'elicitation.url'],
  ['notice', 'session.notices'],
  ['compaction_', 'session.compaction'],
  ['plan_', 'plan'],
  ['subagent_', 'subagents'],
  ['session_message', 'subagents'],
];

/** Capabilities as an object. The older ones are flags. */
function nested(leaves: readonly string[]): Record<string, unknown> {
  const all: Record<string, unknown> = {};
  for (const leaf of leaves) {
    const names = leaf.split('.');
    let place = all;
    for (const name of names.slice(0, -1)) place = (place[name] ??= {}) as Record<string, unknown>;
    place[names.at(-1) ?? ''] = /^(loadSession$|promptCapabilities|mcpCapabilities)/.test(leaf) ? true : {};
  }
  return all;
}

/** What means something only beside another capability: nothing is deleted that is not listed. */
const beside: Readonly<Record<string, string>> = { 'sessionCapabilities.delete': 'sessionCapabilities.list' };

const offering = (leaf: string): Offered =>
  (offers as readonly string[]).includes(leaf) ? { [leaf]: true } : { capabilities: nested([beside[leaf] ?? [], leaf].flat()) };

/** The params without the capabilities that are newer than the stable schema of the SDK, which has no place for them. */
function withoutNewer(params: unknown): unknown {
  if (typeof params !== 'object' || params === null || !('clientCapabilities' in params)) return params;
  const known = Object.entries({ ...(params.clientCapabilities as object) }).filter(([name]) => !newer.ofHost.includes(name));
  return { ...params, clientCapabilities: Object.fromEntries(known) };
}

/** What the host sent that is not as the schema says. */
function misfits(agent: Launched, official = stable): readonly string[] {
  const frames = framesOf(agent);
  const asked = new Map(
    frames.flatMap(({ direction, id, method }) => (direction === 'received' && method !== undefined ? [[id, method]] : [])),
  );
  return frames.flatMap(({ direction, id, method, params, result, error }) => {
    const name = method ?? asked.get(id);
    if (direction === 'received' || error !== undefined || name === undefined || name.startsWith('_')) return [];
    const known = official.methods.find((one) => one.method === name && (method === undefined) === (one.side === 'client'));
    const definition = method === undefined ? known?.result : known?.params;
    if (definition === undefined) return [`${name} is not in the schema`];
    const problem = official.misfit(definition, method === undefined ? result : withoutNewer(params));
    return problem === '' ? [] : [`${name}: ${problem}`];
  });
}

async function callEverything(t: TestContext, offered: Offered, script: string = bySdk) {
  const agent = await launchWith(t, script, offered);
  const info = await agent.start();
  const ends = await callAll(agent);
  assert.deepEqual(misfits(agent, script === bySdk ? stable : everNewer), []);
  const requested = framesOf(agent).filter(({ direction, method }) => direction === 'sent' && method !== undefined);
  const sent = new Set(requested.map(({ method }) => method ?? ''));
  const { capabilities: _, ...understood } = info;
  // What differs between two agents with different capabilities, apart from the capabilities.
  const behaviour = JSON.stringify([understood, requested.map(({ method, params }) => [method, params])]).replaceAll(agent.cwd, '');
  return { agent, ends, sent, behaviour };
}

/** The answers of the host, with what they answer. */
function answersOf(agent: Launched): readonly (Frame & { readonly to: string })[] {
  const frames = framesOf(agent);
  return frames.flatMap((frame) => {
    if (frame.direction === 'received' || frame.method !== undefined) return [];
    const { method: to } =
      frames.find(({ direction, id, method }) => direction === 'received' && id === frame.id && method !== undefined) ?? {};
    return to === undefined ? [] : [{ ...frame, to }];
  });
}

/** The paths of what the host declares. */
function declaredBy(agent: Launched): readonly string[] {
  const initialize = framesOf(agent).find(({ method }) => method === 'initialize')?.params as { readonly clientCapabilities: object };
  const leavesOf = (value: unknown, at: string): readonly string[] => {
    const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    if (members.length === 0) return value === false || value === null ? [] : [at];
    return members.flatMap(([name, member]) => leavesOf(member, at === '' ? name : `${at}.${name}`));
  };
  return leavesOf(initialize.clientCapabilities, '');
}

type Cells = readonly string[];
const works = '✓';
const unused = '–';
const always = 'always';
const byAgent = 'by the agent';
const quoted = (text: string): string => `\`${text}\``;
const check = (is: boolean): string => (is ? works : unused);
const tables = {
  methods: new Map<string, Cells>(),
  updates: new Map<string, Cells>(),
  host: new Map<string, Cells>(),
  agent: new Map<string, Cells>(),
};

function hostGate(name: string, declared: readonly string[]): string {
  const gate = gatesOfHost.find(([prefix]) => name.startsWith(prefix))?.[1];
  return gate === undefined ? always : `${check(declared.includes(gate))} ${quoted(gate)}`;
}

/** What a turn with one update showed, and with one that cannot be read. */
async function updateCells(agent: Launched, session: BackendSession, official: OfficialSchema, kind: string): Promise<Cells> {
  const update = { ...(official.example('SessionUpdate', kind) as object), ...richer[kind] };
  const field = Object.keys(update).find((name) => name !== 'sessionUpdate' && name !== 'toolCallId') ?? 'toolCallId';
  const shown: string[] = [];
  for (const one of [update, { ...update, [field]: {} }]) {
    const before = agent.sessionEvents().length;
    await play(agent, session, [{ notify: 'session/update', params: { sessionId: session.id, update: one } }]);
    const events = agent.sessionEvents().slice(before);
    shown.push(events.find(({ type }) => type !== 'extension')?.type ?? '');
  }
  const [good = '', bad = ''] = shown;
  return [
    hostGate(kind, declaredBy(agent)),
    byAgent,
    good === '' ? unused : quoted(good),
    bad === '' ? 'left out' : 'shown without the bad part',
  ];
}

/** Without more than the required members, these would change nothing. */
const richer: Readonly<Record<string, object>> = {
  tool_call_update: { title: 'x' },
  plan: { entries: [{ content: 'x', priority: 'high', status: 'pending' }] },
  available_commands_update: { availableCommands: [{ name: 'x', description: 'x' }] },
  current_mode_update: { currentModeId: 'free' },
  config_option_update: {
    configOptions: [{ id: 'depth', name: 'Depth', type: 'select', currentValue: 'high', options: [{ value: 'high', name: 'High' }] }],
  },
  session_info_update: { title: 'x' },
  session_message: { content: [{ type: 'text', text: 'x' }] },
};

/** Every request that an agent may make of a host with everything, in an order in which each can be answered. */
function goodSteps(cwd: string): readonly Step[] {
  const ask = (request: string, params: object): Step => ({ request, params: { sessionId: '$session', ...params } });
  const file = path.join(cwd, 'new', 'file.txt');
  const terminal = { terminalId: '$terminalId' };
  return [
    ask('fs/write_text_file', { path: file, content: 'text\n' }),
    ask('fs/read_text_file', { path: file, line: 1, limit: 1 }),
    ask('session/request_permission', { toolCall: { toolCallId: 'c' }, options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }] }),
    ask('terminal/create', { command: process.execPath, args: ['-e', 'console.log(1)'] }),
    ask('terminal/wait_for_exit', terminal),
    ask('terminal/output', terminal),
    ask('terminal/kill', terminal),
    ask('terminal/release', terminal),
    ask('elicitation/create', { mode: 'form', message: 'Who?', requestedSchema: { properties: { name: { type: 'string' } } } }),
    ask('elicitation/create', { mode: 'url', message: 'Where?', elicitationId: 'e', url: 'https://example.com/' }),
    { notify: 'elicitation/complete', params: { elicitationId: 'e' } },
    { notify: 'elicitation/complete', params: { elicitationId: 'of nothing' } },
  ];
}

const isNotice = ({ result }: OfficialMethod): boolean => result === undefined;

describe('the host and the whole of ACP', () => {
  test('it calls what an agent declares, and nothing else', async (t) => {
    const without = await callEverything(t, {});
    const all = await callEverything(t, everything);
    const gates = new Map<string, string[]>();
    for (const leaf of [...ofAgent, ...offers]) {
      const other = beside[leaf];
      const before = other === undefined ? without : await callEverything(t, offering(other));
      const one = await callEverything(t, offering(leaf));
      tables.agent.set(leaf, [check(one.behaviour !== before.behaviour)]);
      for (const method of one.sent) if (!before.sent.has(method)) gates.set(method, [...(gates.get(method) ?? []), quoted(leaf)]);
    }
    for (const known of methods.filter(({ side }) => side !== 'client')) {
      const { method } = known;
      const isCalled = all.sent.has(method);
      const answer = isNotice(known) ? 'no answer' : works;
      tables.methods.set(
        method,
        isCalled ? [gates.get(method)?.join(', ') ?? always, works, answer, answer] : [unused, unused, unused, unused],
      );
    }
    const uncalled = Object.values(requests).filter(({ method }) => methods.some((one) => one.method === method) && !all.sent.has(method));
    assert.deepEqual(uncalled, [], '`calls` in acpCoverage.ts does not bring the host to call these methods');
    for (const [method, end] of all.ends) assert.equal(end, method === '$/cancel_request' ? 'cancelled' : undefined, method);
  });

  test('it takes a refusal for what it is', async (t) => {
    const refuses = methods.map(({ method }) => method).filter((method) => method !== 'initialize');
    const { ends } = await callEverything(t, { ...everything, refuses });
    const gone = await launchWith(t, bySdk, { refuses: ['initialize'] });
    const refusal = new Map([...ends, ['initialize', (await rejects(gone.start(), 'handshake_failed')).code]]);
    for (const [method, [declared = '', called = '', answered = '']] of tables.methods) {
      if (answered !== works) continue;
      assert.ok(refusal.get(method), `${method} was refused, and nobody was told`);
      tables.methods.set(method, [declared, called, answered, quoted(refusal.get(method) ?? '')]);
    }
  });

  test('it answers what an agent asks of it', async (t) => {
    const agent = await launchWith(t, bySdk, everything);
    await agent.start();
    const session = await agent.newSession();
    const declared = declaredBy(agent);
    await play(agent, session, goodSteps(agent.cwd));
    const good = answersOf(agent);
    const asked = methods.filter((one) => one.side === 'client' && !isNotice(one));
    await play(agent, session, [
      ...asked.map(({ method, params }) => ({ request: method, params: { ...(stable.example(params) as object), sessionId: 'unknown' } })),
      ...asked.map(({ method }) => ({ request: method, params: { sessionId: 5 } })),
      { request: 'nobody/knows', params: {} },
    ]);
    const bad = answersOf(agent).slice(good.length);
    assert.equal(bad.at(-1)?.error?.code, -32601);
    assert.deepEqual(misfits(agent), []);
    for (const { method } of asked) {
      const refusals = bad
        .filter(({ to }) => to === method)
        .map(({ error, result }) => (error === undefined ? dismissal(result) : String(error.code)));
      const answer = good.find(({ to }) => to === method);
      assert.equal(answer?.error, undefined, `${method} was refused`);
      assert.equal(refusals.length, 2);
      tables.methods.set(method, [hostGate(method, declared), byAgent, check(answer !== undefined), refusals.join(', ')]);
    }
    for (const { method } of methods.filter((one) => one.side === 'client' && isNotice(one)))
      tables.methods.set(method, [hostGate(method, declared), byAgent, 'no answer', 'no answer']);
    for (const leaf of stable.leaves('ClientCapabilities')) tables.host.set(leaf, [check(declared.includes(leaf))]);
  });

  test('it shows every update, and leaves out what it cannot read', async (t) => {
    const agent = await launchWith(t, bySdk, everything);
    await agent.start();
    const session = await agent.newSession();
    for (const kind of updates) tables.updates.set(kind, await updateCells(agent, session, stable, kind));
    assert.deepEqual(misfits(agent), []);
  });

  test('it does the same with what is newer than the schema of the SDK, from an agent written by hand', async (t) => {
    const { agent, sent, behaviour, ends } = await callEverything(t, { capabilities: nested(newer.ofAgent) }, byHand);
    const refused = await callEverything(t, { capabilities: nested(newer.ofAgent), refuses: newer.methods }, byHand);
    for (const method of newer.methods) {
      const isCalled = sent.has(method);
      assert.equal(ends.get(method), undefined, method);
      const cells = [quoted('sessionCapabilities.fork'), works, works, quoted(refused.ends.get(method) ?? '')];
      tables.methods.set(`${method} ${mark}`, isCalled ? cells : cells.map(() => unused));
    }
    const session = await agent.newSession();
    for (const kind of newer.updates) tables.updates.set(`${kind} ${mark}`, await updateCells(agent, session, everNewer, kind));
    const declared = declaredBy(agent);
    for (const leaf of newer.ofHost) tables.host.set(`${leaf} ${mark}`, [check(declared.some((one) => one.split('.')[0] === leaf))]);
    for (const leaf of newer.ofAgent) {
      const without = await callEverything(t, { capabilities: nested(newer.ofAgent.filter((one) => one !== leaf)) }, byHand);
      tables.agent.set(`${leaf} ${mark}`, [check(without.behaviour !== behaviour)]);
    }
  });

  test('docs/protocols.md says so', () => {
    const names = [...tables.methods.keys(), ...tables.updates.keys()];
    const missing = [...methods.map(({ method }) => method), ...updates].filter((name) => !names.includes(name));
    assert.deepEqual(missing, [], 'no row for these');
    for (const cells of [...tables.methods.values(), ...tables.updates.values()])
      assert.ok(cells.length === 4 && cells.every((cell) => cell !== ''));
    const rowsOf = (table: ReadonlyMap<string, Cells>): readonly Cells[] =>
      [...table].map(([name, cells]) => [name.replace(/^[^ ]+/, quoted), ...cells]);
    const text = [
      tableOf(['Method', 'Declared', 'Called', 'Answered', 'Refused'], rowsOf(tables.methods)),
      tableOf(['Update', 'Declared', 'Sent', 'Shown as', 'If it has wrong types'], rowsOf(tables.updates)),
      tableOf(['Capability of ACP Host', 'Declared'], rowsOf(tables.host)),
      tableOf(['Capability of an agent', 'Used'], rowsOf(tables.agent)),
    ].join('\n\n');
    if (process.env['ACP_HOST_WRITE_DOCS'] !== undefined) writeSection('Methods', text);
    assert.equal(readSection('Methods'), text, 'docs/protocols.md is not up to date: `npm run protocols` writes it');
  });
});

/** Names what the host answers without an error to a request that nobody sees. */
function dismissal(result: unknown): string {
  const text = JSON.stringify(result);
  return quoted(/cancel(?:led)?/.exec(text)?.[0] ?? text);
}
