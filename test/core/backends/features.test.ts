/** Everything advertised is implemented, and everything implemented is advertised. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CLIENT_METHODS } from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';
import { toAgentInfo } from '../../../src/core/backends/acp/acpHandshake.js';
import { answerOf, clientCapabilities, features, receiverOf } from '../../../src/core/backends/acp/features/features.js';
import { formOf, parseElicitation } from '../../../src/core/backends/acp/schema/elicitation.js';
import { requests } from '../../../src/core/backends/acp/schema/methods.js';
import { parseCreateTerminal, parseReadTextFile, parseWriteTextFile } from '../../../src/core/backends/acp/schema/requests.js';
import { emptySession, reduceAll } from '../../../src/core/session/reducer.js';
import { fedSessions } from './feed.js';
import { launch } from './launch.js';

type Leaf = readonly [path: string, value: unknown];

function leavesOf(value: unknown, path: readonly string[] = []): readonly Leaf[] {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return members.length === 0 ? [[path.join('.'), value]] : members.flatMap(([key, member]) => leavesOf(member, [...path, key]));
}

const byPath = (one: Leaf, other: Leaf): number => one[0].localeCompare(other[0]);
const requestMethods = features.flatMap((feature) => Object.keys(feature.requests ?? {}));
const notificationMethods = features.flatMap((feature) => Object.keys(feature.notifications ?? {}));

describe('the table of features', () => {
  for (const terminalAuth of [true, false])
    test(`initialize declares exactly what the features declare; terminalAuth ${terminalAuth}`, async (t) => {
      const agent = await launch(t, 'asksFor', [], { terminalAuth });
      await agent.start();
      const sent = agent.traffic.flatMap((entry) => (entry.kind === 'message' && entry.direction === 'sent' ? [entry.message] : []));
      const { params } = z
        .looseObject({ method: z.literal('initialize'), params: z.looseObject({ clientCapabilities: z.unknown() }) })
        .parse(sent[0]);
      const advertised = leavesOf(params.clientCapabilities);
      const declared = features
        .flatMap(({ capabilities }) =>
          capabilities === undefined ? [] : leavesOf(capabilities({ terminalAuth, files: false, isRelayed: false })),
        )
        .filter(([path]) => path !== '');
      assert.deepEqual([...advertised].sort(byPath), [...declared].sort(byPath));
      assert.equal(new Set(declared.map(([path]) => path)).size, declared.length, 'each capability belongs to one feature');
    });

  test('each method belongs to one feature and is found by its name', () => {
    for (const methods of [requestMethods, notificationMethods]) assert.equal(new Set(methods).size, methods.length);
    for (const feature of features) {
      for (const [method, answer] of Object.entries(feature.requests ?? {})) assert.equal(answerOf(method), answer);
      for (const [method, receive] of Object.entries(feature.notifications ?? {})) assert.equal(receiverOf(method), receive);
      assert.ok(feature.capabilities ?? feature.requests ?? feature.notifications, 'a feature does something');
    }
  });
});

test('every request in the table is answered, any other gets -32601', async (t) => {
  const agent = await launch(t, 'asksFor', [], {
    services: {
      requestUser: async () => ({ type: 'cancel' }),
      filesIn: () => ({ peek: async () => undefined, peekNow: () => undefined }),
      agentFiles: () => ({ readText: async () => 'text', writeText: async () => {} }),
    },
  });
  await agent.start();
  const standard = Object.values(CLIENT_METHODS).filter((method) => !notificationMethods.includes(method));
  const others = [...standard.filter((method) => !requestMethods.includes(method)), '_agent.example/own', 'constructor', ''];
  const form = { mode: 'form', message: 'Who?', requestedSchema: {} };
  const file = { path: '/a', content: '' };
  const terminal = { command: process.execPath, args: ['--version'], terminalId: 'none' };
  const paramsOf = (method: string): object => {
    if (method === 'elicitation/create') return form;
    if (method.endsWith('/ask_user_question')) return { questions: [{ question: 'Who?' }] };
    return method.startsWith('fs/') ? file : terminal;
  };
  await agent.prompt(await agent.newSession(), JSON.stringify([...requestMethods, ...others].map((method) => [method, paramsOf(method)])));
  const outcomes: readonly (readonly [string, { readonly code?: number; readonly result?: unknown }])[] = JSON.parse(agent.text());
  // There is no such terminal.
  const needsTerminal = (method: string): boolean => method.startsWith('terminal/') && method !== 'terminal/create';
  for (const method of requestMethods) {
    const [, outcome] = outcomes.find(([one]) => one === method) ?? assert.fail(method);
    if (needsTerminal(method)) assert.equal(outcome.code, -32002, method);
    else assert.notEqual(outcome.result, undefined, method);
  }
  assert.deepEqual(
    outcomes.filter(([, { code }]) => code === -32601).map(([method]) => method),
    others,
  );
  assert.equal(outcomes.length, requestMethods.length + others.length);
});

test('an unsupported request is refused at once every time, and logged once per method', async (t) => {
  const agent = await launch(t, 'asksOnStderr');
  await agent.start();
  await agent.prompt(await agent.newSession(), 'insist');
  assert.equal(agent.text(), '-32601 -32601 -32601 -32601 -32601');
  for (const method of ['fs/write_text_file', '_vendor/extra'])
    assert.equal(agent.warnings.filter((warning) => warning.includes(method)).length, 1);
  assert.equal(agent.backend.stats.leftOut, 5);
});

describe('each declared capability is handled', () => {
  /** Sends what an agent may send if the capability is declared. */
  const proofs: Readonly<Record<string, () => Promise<void>>> = {
    'session.notices': async () => {
      const items = await itemsOf({ sessionUpdate: 'notice', severity: 'warning', title: 'Look', description: 'there' });
      assert.deepEqual(
        items.map((item) => item.kind === 'notice' && 'title' in item && [item.severity, item.title, item.description]),
        [['warning', 'Look', 'there']],
      );
    },
    'session.compaction': async () => {
      const items = await itemsOf(
        { sessionUpdate: 'compaction_update', compactionId: 'c', status: 'in_progress' },
        { sessionUpdate: 'compaction_summary_chunk', compactionId: 'c', content: { type: 'text', text: 'in short' } },
        { sessionUpdate: 'compaction_update', compactionId: 'c', status: 'completed' },
      );
      assert.deepEqual(
        items.map((item) => item.kind === 'compaction' && [item.status, item.summary]),
        [['completed', [{ type: 'text', text: 'in short' }]]],
      );
    },
    'session.configOptions.boolean': async () => {
      const fed = fedSessions();
      const opening = fed.open();
      await opening.answer({ sessionId: 's', configOptions: [{ type: 'boolean', id: 'o', name: 'O', currentValue: false }] });
      const session = opening.session();
      const setting = session.setOption('o', true);
      const call = fed.wire.take('session/set_config_option');
      assert.deepEqual(call.params, { sessionId: 's', configId: 'o', type: 'boolean', value: true });
      call.answer({});
      await setting;
      assert.deepEqual(session.options, [{ type: 'boolean', id: 'o', name: 'O', currentValue: true }]);
    },
    '_meta.terminal-auth': async () => {
      const meta = { 'terminal-auth': { command: 'wizard', args: ['--login'], env: { A: 'b' }, label: 'Wizard' } };
      const authMethods = [{ id: 'w', name: 'Wizard', _meta: meta }];
      assert.deepEqual(toAgentInfo(requests.initialize.parseResult({ protocolVersion: 1, authMethods }), 'x').authMethods, [
        { id: 'w', name: 'Wizard', meta, type: 'terminal', command: 'wizard', args: ['--login'], env: { A: 'b' } },
      ]);
    },
    'elicitation.form': async () => {
      const asked = parseElicitation({
        sessionId: 's',
        mode: 'form',
        message: 'Who?',
        requestedSchema: { properties: { n: { type: 'number' } } },
      });
      assert.ok(asked?.mode === 'form');
      const field = { type: 'number', name: 'n', required: false };
      assert.deepEqual(formOf('s', asked), { kind: 'form', sessionId: 's', message: 'Who?', fields: [field], canDecline: true });
    },
    'fs.readTextFile': async () => {
      const asked = { sessionId: 's', path: '/a', line: 2, limit: 0 };
      assert.deepEqual(parseReadTextFile(asked), asked);
    },
    'fs.writeTextFile': async () => {
      const asked = { sessionId: 's', path: '/a', content: '' };
      assert.deepEqual(parseWriteTextFile(asked), asked);
    },
    terminal: async () => {
      const asked = { sessionId: 's', command: 'ls', args: null, env: [{ name: 'A', value: 'b' }, 1], cwd: null };
      const { outputByteLimit, cwd, ...parsed } = parseCreateTerminal(asked);
      assert.deepEqual(parsed, { sessionId: 's', command: 'ls', args: [], env: { A: 'b' } });
      assert.deepEqual([outputByteLimit, cwd], [undefined, undefined]);
      assert.throws(() => parseCreateTerminal({ ...asked, cwd: 'relative' }), /^RpcError: terminal\/create needs a valid cwd$/);
      assert.throws(() => parseCreateTerminal({ ...asked, args: 'a b' }), /needs a valid args$/);
    },
    '_meta.terminal_output': async () => assert.equal(await printed(['terminal_output', 'one '], ['terminal_output', 'two']), 'one two'),
    '_meta.terminal_output_delta': async () =>
      assert.equal(
        await printed(['terminal_output_delta', 'placeholder'], ['terminal_output', 'one '], ['terminal_output_delta', 'two']),
        'one two',
      ),
    'elicitation.url': async () => {
      const page = { sessionId: 's', mode: 'url', message: 'Sign in', elicitationId: 'e', url: 'https://example.com/' };
      assert.deepEqual(parseElicitation(page), page);
    },
    plan: async () => {
      const items = await itemsOf({ sessionUpdate: 'plan_update', plan: { type: 'markdown', planId: 'p', content: '# Do' } });
      assert.deepEqual(
        items.map((item) => item.kind === 'plan' && item.text.markdown),
        ['# Do'],
      );
    },
    subagents: async () => {
      const fed = fedSessions();
      await fed.open().answer({ sessionId: 's' });
      fed.update('s', { sessionUpdate: 'subagent_update', sessionId: 'k', title: 'Explore', state: { state: 'running' } });
      fed.say('k', 'found');
      const { items } = reduceAll(emptySession('s', '/workspace', 0), fed.events);
      assert.deepEqual(
        items.map((item) => (item.kind === 'subagent' ? item.title : item.kind === 'message' && item.subagentId)),
        ['Explore', 'k'],
      );
    },
    'auth.terminal': async () => {
      const authMethods = [{ id: 'w', name: 'Wizard', type: 'terminal', args: ['--login'], env: { A: 'b' } }];
      assert.deepEqual(toAgentInfo(requests.initialize.parseResult({ protocolVersion: 1, authMethods }), 'x').authMethods, authMethods);
    },
  };

  test('every capability has a proof', () => {
    const advertised = leavesOf(clientCapabilities({ terminalAuth: true, files: true, isRelayed: false })).map(([path]) => path);
    assert.deepEqual(advertised.sort(), Object.keys(proofs).sort());
  });

  for (const [path, prove] of Object.entries(proofs)) test(path, prove);

  test('terminal sign-in, files and output of the agent are declared only if the host has them, and what shows them', () =>
    assert.deepEqual(
      leavesOf(clientCapabilities({ terminalAuth: false, files: false, isRelayed: true })).filter(([path]) =>
        /^(?:auth|fs|_meta\.terminal_)/.test(path),
      ),
      [],
    ));
});

async function itemsOf(...updates: readonly ({ readonly sessionUpdate: string } & Record<string, unknown>)[]) {
  const fed = fedSessions();
  await fed.open().answer({ sessionId: 's' });
  for (const update of updates) fed.update('s', update);
  assert.deepEqual(fed.problems, []);
  return reduceAll(emptySession('s', '/workspace', 0), fed.events).items;
}

test('a key is set in the variables that a sign-in method names, or in the usual one of the provider that it names', () => {
  const keysOf = (method: Readonly<Record<string, unknown>>): unknown => {
    const authMethods = [{ id: 'k', name: 'Key', ...method }];
    const [read] = toAgentInfo(requests.initialize.parseResult({ protocolVersion: 1, authMethods }), 'x').authMethods;
    return read?.type === 'agent' ? read.keys : read?.type;
  };
  const variables = [{ name: 'A_KEY' }, { name: 'B_URL' }, { name: 'C', optional: true }];
  assert.deepEqual(keysOf({ type: 'env_var', vars: variables }), { names: ['A_KEY', 'B_URL'], needs: 'all' });
  assert.deepEqual(keysOf({ name: 'Use OPENAI_API_KEY', description: 'Set `OPENAI_API_KEY` or CODEX_API_KEY' }), {
    names: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
    needs: 'any',
  });
  assert.deepEqual(keysOf({ _meta: { 'api-key': { provider: 'openai' } } }), { names: ['OPENAI_API_KEY'], needs: 'any' });
  assert.deepEqual(keysOf({ _meta: { 'api-key': { provider: 'google' } } }), { names: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'], needs: 'any' });
  assert.deepEqual(keysOf({ _meta: { 'api-key': 'yes', 'terminal-auth': { args: [] } } }), undefined);
  assert.deepEqual(keysOf({ vars: 'none' }), undefined);
});

/** What a terminal of the agent shows after these reports. */
async function printed(...reports: readonly (readonly [name: string, data: string])[]): Promise<string | undefined> {
  const call = {
    sessionUpdate: 'tool_call',
    toolCallId: 'c',
    title: 'ls',
    kind: 'execute',
    content: [{ type: 'terminal', terminalId: 'c' }],
  };
  const updates = reports.map(([name, data]) => ({
    sessionUpdate: 'tool_call_update',
    toolCallId: 'c',
    _meta: { [name]: { terminal_id: 'c', data } },
  }));
  const [item] = await itemsOf(call, ...updates);
  const [part] = item?.kind === 'tool' ? item.content : [];
  return part?.type === 'terminal' ? part.output : undefined;
}
