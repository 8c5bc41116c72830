/**
 * Session events as ACP updates: those of an ACP agent equal what it sent, except for the differences in projectionDifferences.ts, and for what
 * the host finds out about sub-agents.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, test, type TestContext } from 'node:test';
import { agentaoQuirks } from '../../../src/core/agents/agentao/agentaoQuirks.js';
import type { AcpQuirks } from '../../../src/core/agents/acpQuirks.js';
import { standardQuirks } from '../../../src/core/agents/standardQuirks.js';
import { acpQuirksOf } from '../../../src/core/agents/knownAgents.js';
import type { ConnectOptions } from '../../../src/core/backends/agentBackend.js';
import { AcpProjection, toAcpOffer } from '../../../src/core/backends/acp/acpProjection.js';
import { isFields } from '../../../src/core/base/fields.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import { MODE_OPTION_ID, type SessionOption } from '../../../src/core/session/sessionOption.js';
import { selectOption } from '../../../src/core/session/userRequest.js';
import { parseSessionNotification } from '../../../src/core/backends/acp/schema/updates.js';
import { demoAgentProgram } from '../../cli/programs.js';
import { fedSessions } from './feed.js';
import { compareUpdates } from './projectionDifferences.js';
import { launch } from './launch.js';
import { readRecording, recordings, replayEvents } from './replay.js';

const names = readdirSync(recordings)
  .filter((file) => file.endsWith('.ndjson'))
  .map((file) => file.slice(0, -'.ndjson'.length));

describe('recorded traffic of agentao 0.5.17', () => {
  const met = new Map<string, number>();

  for (const name of names)
    test(name, async () => {
      const entries = readRecording(name);
      const agent = { name: 'agentao', version: '0.5.17' };
      for (const { session, events } of await replayEvents(entries)) {
        const recorded = entries.flatMap(({ dir, frame }) =>
          dir === 'in' && frame.method === 'session/update' && frame.params?.sessionId === session.id ? [frame.params.update] : [],
        );
        const begun = events.find((event) => event.type === 'options')?.options ?? [];
        const projection = new AcpProjection(begun);
        const projected = events.flatMap((event) => (event.type === 'subagent' ? [] : projection.project(event)));
        const prompts = entries.flatMap(({ dir, frame }) =>
          dir === 'out' && frame.method === 'session/prompt' ? [JSON.stringify(frame.params?.prompt)] : [],
        );
        const { modes, configOptions } = toAcpOffer(begun);
        const found = compareUpdates(recorded, projected, {
          quirks: acpQuirksOf(agent),
          cwd: '/workspace',
          prompts,
          mode: modes?.['currentModeId'],
          options: configOptions,
        });
        for (const [difference, count] of found) met.set(difference, (met.get(difference) ?? 0) + count);
      }
    });

  test('the projection differs from it only in these ways', () =>
    assert.deepEqual([...met.keys()].sort(), [
      'a kind by the name of the tool',
      'a kind is told when it changes',
      'absolute paths of diffs',
      'locations from the input',
      'members beyond those of ACP',
    ]));
});

/** Prompts a real agent, and accepts every request with its first option. @returns the differences that occurred */
async function converse(
  t: TestContext,
  agent: string,
  {
    args = [],
    options = {},
    prompts,
    name,
  }: {
    readonly args?: readonly string[];
    readonly options?: Partial<ConnectOptions>;
    readonly prompts: readonly string[];
    readonly name?: string;
  },
): Promise<readonly string[]> {
  const launched = await launch(t, agent, args, {
    services: {
      requestUser: async (request) =>
        request.kind === 'permission' ? selectOption(request.options[0]?.optionId ?? '') : { type: 'decline' },
      filesIn: () => ({ peek: async () => 'before\n', peekNow: () => 'before\n' }),
    },
    ...options,
  });
  await launched.start();
  const session = await launched.newSession();
  const begun = session.options;
  for (const prompt of prompts) await launched.prompt(session, prompt);
  await session.moreOptions;
  const recorded = launched.traffic.flatMap((entry) => {
    if (
      entry.kind !== 'message' ||
      entry.direction !== 'received' ||
      !isFields(entry.message) ||
      entry.message['method'] !== 'session/update'
    )
      return [];
    return [parseSessionNotification(entry.message['params'])?.update];
  });
  assert.ok(recorded.length >= prompts.length, 'the agent said something');
  const projection = new AcpProjection(begun);
  const projected = launched.sessionEvents().flatMap((event) => projection.project(event));
  const { modes, configOptions } = toAcpOffer(begun);
  const found = compareUpdates(recorded, projected, {
    quirks: acpQuirksOf(name === undefined ? undefined : { name, version: '0.5.17' }),
    cwd: launched.cwd,
    prompts,
    mode: modes?.['currentModeId'],
    options: configOptions,
  });
  return [...found.keys()].sort();
}

const program = (file: string): ConnectOptions['agent'] => ({ label: 'agent', command: process.execPath, args: [file], env: {} });

describe('updates of agents that follow ACP are projected unchanged', () => {
  test('the demo agent, with everything that it can do', async (t) => {
    const prompts = [
      '/help',
      '/think',
      '/plan',
      '/list',
      '/write new.txt one',
      '/edit new.txt one two',
      '/run echo hi',
      '/usage',
      '/title T',
      '/notice',
      '/compact',
      '/mode auto',
      '/long',
      '/ask',
    ];
    const met = await converse(t, 'demo', {
      prompts,
      options: { agent: program(demoAgentProgram) },
    });
    assert.deepEqual(met, [
      'a kind is told when it changes',
      'a mode told in the older form, where an option is the mode',
      'no locations are none',
      'options that hold already',
    ]);
  });

  test('an agent built with the SDK', async (t) => {
    assert.deepEqual(await converse(t, 'sdkAgent', { prompts: ['hello', 'permission'] }), []);
  });

  test('the example agent of the SDK', async (t) => {
    const example = fileURLToPath(new URL('../../../node_modules/acp-sdk-example/dist/examples/agent.js', import.meta.url));
    assert.deepEqual(await converse(t, 'example', { prompts: ['first'], options: { agent: program(example) } }), []);
  });
});

test('a diff created by the host is not attributed to the agent', async (t) => {
  assert.deepEqual(await converse(t, 'namesItselfAgentao', { args: ['noModels'], prompts: ['write'], name: 'agentao' }), [
    'a diff made by the host',
    'locations from the input',
  ]);
});

describe('members left out one by one', () => {
  const text = (sessionUpdate: string, words: string) => ({ sessionUpdate, content: { type: 'text', text: words } });
  const call = { sessionUpdate: 'tool_call', toolCallId: 'a', title: 'A' };
  const cases: Readonly<Record<string, { readonly updates: readonly Readonly<Record<string, unknown>>[]; readonly quirks?: AcpQuirks }>> = {
    'an echo of the prompt': { updates: [text('user_message_chunk', 'do '), text('user_message_chunk', 'it')] },
    'a thought that repeats the text': {
      updates: [text('agent_message_chunk', 'Let me see.'), text('agent_thought_chunk', 'Let me see.')],
      quirks: agentaoQuirks('0.4.20'),
    },
    'a mode that holds already': { updates: [{ sessionUpdate: 'current_mode_update', currentModeId: 'a' }] },
    'null is absent': { updates: [{ ...call, rawInput: null, _meta: null }] },
    'what has ended does not run again': {
      updates: [
        { ...call, status: 'completed' },
        { sessionUpdate: 'tool_call_update', toolCallId: 'a', status: 'in_progress', rawOutput: 'late' },
      ],
    },
  };

  for (const [name, { updates, quirks = standardQuirks }] of Object.entries(cases))
    test(name, async () => {
      const fed = fedSessions(quirks);
      const opening = fed.open();
      await opening.answer({ sessionId: 's', modes: { currentModeId: 'a', availableModes: [{ id: 'a', name: 'A' }] } });
      const session = opening.session();
      const projection = new AcpProjection(session.options);
      void session.prompt('t1', [{ type: 'text', text: 'do it' }], 'turn');
      for (const update of updates) fed.update('s', update);
      const projected = fed.events.flatMap((event) => projection.project(event));
      const found = compareUpdates(updates, projected, { quirks, cwd: '/workspace', prompts: ['do it'], mode: 'a', options: [] });
      assert.deepEqual([...found.keys()], [name]);
    });
});

describe('options', () => {
  const mode: SessionOption = {
    type: 'select',
    id: MODE_OPTION_ID,
    name: 'Mode',
    category: 'mode',
    currentValue: 'a',
    choices: [
      { value: 'a', name: 'A' },
      { value: 'b', name: 'B' },
    ],
  };
  const deep: SessionOption = { type: 'boolean', id: 'deep', name: 'Deep', currentValue: false };
  const grouped: SessionOption = {
    type: 'select',
    id: 'm',
    name: 'M',
    currentValue: 'x',
    choices: [{ group: 'g', name: 'G', choices: [{ value: 'x', name: 'X' }] }],
  };
  const told = (
    projection: AcpProjection,
    options: readonly SessionOption[],
    of: { readonly meta?: Readonly<Record<string, unknown>> } = {},
  ): unknown => projection.project({ type: 'options', at: 1, options, ...of });

  test('options are offered as modes and config options', () => {
    assert.deepEqual(toAcpOffer([mode, deep, grouped]), {
      modes: {
        currentModeId: 'a',
        availableModes: [
          { id: 'a', name: 'A' },
          { id: 'b', name: 'B' },
        ],
      },
      configOptions: [
        { id: 'deep', name: 'Deep', type: 'boolean', currentValue: false },
        {
          id: 'm',
          name: 'M',
          type: 'select',
          currentValue: 'x',
          options: [{ group: 'g', name: 'G', options: [{ value: 'x', name: 'X' }] }],
        },
      ],
    });
    assert.deepEqual(toAcpOffer([]), { configOptions: [] });
  });

  test('a change of options is reported as what changed, with what the agent attached', () => {
    const projection = new AcpProjection([mode, deep]);
    assert.deepEqual(told(projection, [mode, deep]), []);
    assert.deepEqual(told(projection, [{ ...mode, currentValue: 'b' }, deep], { meta: { why: 1 } }), [
      { sessionUpdate: 'current_mode_update', currentModeId: 'b', _meta: { why: 1 } },
    ]);
    assert.deepEqual(
      told(projection, [
        { ...mode, currentValue: 'b' },
        { ...deep, currentValue: true },
      ]),
      [{ sessionUpdate: 'config_option_update', configOptions: [{ id: 'deep', name: 'Deep', type: 'boolean', currentValue: true }] }],
    );
  });

  test('_meta of a mode or options update is passed on', async () => {
    const fed = fedSessions();
    const opening = fed.open();
    await opening.answer({ sessionId: 's', modes: { currentModeId: 'a', availableModes: [{ id: 'a', name: 'A' }] } });
    const projection = new AcpProjection(opening.session().options);
    const updates = [
      { sessionUpdate: 'current_mode_update', currentModeId: 'b', _meta: { n: 1 } },
      {
        sessionUpdate: 'config_option_update',
        configOptions: [{ id: 'deep', name: 'Deep', type: 'boolean', currentValue: true }],
        _meta: { n: 2 },
      },
    ];
    for (const update of updates) fed.update('s', update);
    assert.deepEqual(
      fed.events.flatMap((event) => projection.project(event)),
      updates,
    );
  });

  test('an option that is the mode is reported as an option, in whichever form the agent reported it', async () => {
    const fed = fedSessions();
    const opening = fed.open();
    const option = (currentValue: string) => ({
      id: 'm',
      name: 'Mode',
      category: 'mode',
      type: 'select',
      currentValue,
      options: [{ value: 'a', name: 'A' }],
    });
    await opening.answer({ sessionId: 's', configOptions: [option('a')] });
    const projection = new AcpProjection(opening.session().options);
    fed.update('s', { sessionUpdate: 'current_mode_update', currentModeId: 'b' });
    assert.deepEqual(
      fed.events.flatMap((event) => projection.project(event)),
      [{ sessionUpdate: 'config_option_update', configOptions: [option('b')] }],
    );
  });
});

test('events known only to the host, or sent by other ACP messages, produce no update', () => {
  const projection = new AcpProjection();
  for (const event of [
    { type: 'opened', at: 1, cwd: '/', by: 'new' },
    { type: 'turn_started', at: 1, turnId: 't' },
    { type: 'tool', at: 1, id: 'x', toolCallId: 'x', patch: { status: 'cancelled' }, origin: 'host' },
    { type: 'wait', at: 1, wait: null },
    { type: 'turn_cancelling', at: 1, turnId: 't' },
    { type: 'unqueued', at: 1, promptId: 'q' },
    { type: 'request_closed', at: 1, requestId: 'r', answer: { type: 'cancel' } },
    { type: 'turn_ended', at: 1, turnId: 't', outcome: { type: 'ended', stopReason: 'end_turn', silent: false } },
  ] satisfies readonly SessionEvent[])
    assert.deepEqual(projection.project(event), []);
});
