/** The scripted model, with requests in the format of each provider. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { said } from './model/script.js';
import { type ScriptedModel, startScriptedModel } from './model/server.js';

let model: ScriptedModel;
before(async () => {
  model = await startScriptedModel();
});
after(() => model.close());

interface Provider {
  readonly name: string;
  readonly path: string;
  /** A request with the prompt, and with that many answered calls since. */
  request(prompt: string, answered: number): object;
  /** A tool that reads a file, in the format of the provider. */
  readonly read: RegExp;
}

const fileTool = { type: 'object', properties: { file_path: { type: 'string' }, limit: { type: 'integer' } }, required: ['file_path'] };

const providers: readonly Provider[] = [
  {
    name: 'OpenAI chat',
    path: '/v1/chat/completions',
    request: (prompt, answered) => ({
      model: 'mock-1',
      stream: true,
      messages: [{ role: 'user', content: prompt }, ...Array.from({ length: answered }, () => ({ role: 'tool', content: 'alpha' }))],
      tools: [{ type: 'function', function: { name: 'read_file', parameters: fileTool } }],
    }),
    read: /"name":"read_file","arguments":"\{\\"file_path\\":\\"\/work\/a\.txt\\"\}"/,
  },
  {
    name: 'OpenAI responses',
    path: '/v1/responses',
    request: (prompt, answered) => ({
      model: 'mock-1',
      stream: true,
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }] },
        ...Array.from({ length: answered }, () => ({ type: 'function_call_output', call_id: 'c', output: 'alpha' })),
      ],
      tools: [{ type: 'function', name: 'read_file', parameters: fileTool }],
    }),
    read: /"type":"function_call",.*"name":"read_file","arguments":"\{\\"file_path\\":\\"\/work\/a\.txt\\"\}"/,
  },
  {
    name: 'Anthropic',
    path: '/v1/messages?beta=true',
    request: (prompt, answered) => ({
      model: 'mock-1',
      stream: true,
      messages: [
        { role: 'user', content: [{ type: 'text', text: prompt }] },
        ...Array.from({ length: answered }, () => ({
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 't', content: 'alpha' }],
        })),
      ],
      tools: [{ name: 'Read', input_schema: fileTool }],
    }),
    read: /"type":"tool_use".*"name":"Read"[^]*"partial_json":"\{\\"file_path\\":\\"\/work\/a\.txt\\"\}"/,
  },
  {
    name: 'Gemini',
    path: '/v1beta/models/mock-1:streamGenerateContent?alt=sse',
    request: (prompt, answered) => ({
      contents: [
        { role: 'user', parts: [{ text: prompt }] },
        ...Array.from({ length: answered }, () => ({ role: 'user', parts: [{ functionResponse: { name: 'read_file', response: {} } }] })),
      ],
      tools: [{ functionDeclarations: [{ name: 'read_file', parametersJsonSchema: fileTool }] }],
    }),
    read: /"functionCall":\{"name":"read_file","args":\{"file_path":"\/work\/a\.txt"\}\}/,
  },
];

async function ask({ path, request }: Provider, prompt: string, answered = 0): Promise<{ readonly status: number; readonly body: string }> {
  const response = await fetch(`${model.origin}${path}`, { method: 'POST', body: JSON.stringify(request(prompt, answered)) });
  return { status: response.status, body: await response.text() };
}

for (const provider of providers) {
  describe(`the scripted model with requests in the format of ${provider.name}`, () => {
    test('it answers the case that the prompt names', async () => {
      const { body } = await ask(provider, 'CASE:text DIR=/work');
      assert.ok(body.includes(said.text), body);
    });

    test('it calls the matching tool, and continues after its result', async () => {
      assert.match((await ask(provider, 'CASE:read DIR=/work')).body, provider.read);
      assert.ok((await ask(provider, 'CASE:read DIR=/work', 1)).body.includes(said.done));
    });

    test('it thinks before it answers', async () => {
      const { body } = await ask(provider, 'CASE:thinking DIR=/work');
      assert.ok(body.indexOf(said.thought) >= 0 && body.indexOf(said.thought) < body.indexOf(said.done), body);
    });

    test('it refuses a request with an error in the format of the provider', async () => {
      const { status, body } = await ask(provider, 'CASE:error DIR=/work');
      assert.equal(status, 400);
      assert.ok(body.includes(said.failure), body);
    });
  });
}

const [, responses = assert.fail('no provider')] = providers;

test('a tool of a group is called with the name of the group', async () => {
  const request = (): object => ({
    model: 'mock-1',
    stream: true,
    input: 'CASE:mcp DIR=/work',
    tools: [{ type: 'namespace', name: 'mcp__check', tools: [{ type: 'function', name: 'answer', parameters: {} }] }],
  });
  assert.match((await ask({ ...responses, request }, '')).body, /"type":"function_call",.*"name":"answer","namespace":"mcp__check"/);
});

test('what a tool returned is known, whatever the provider', async () => {
  const before = model.requests.length;
  const bodies = [
    { path: '/v1/chat/completions', messages: [{ role: 'tool', content: 'forty-two' }] },
    { path: '/v1/responses', input: [{ type: 'function_call_output', call_id: 'c', output: 'forty-two' }] },
    {
      path: '/v1/messages',
      messages: [{ role: 'user', content: [{ type: 'tool_result', content: [{ type: 'text', text: 'forty-two' }] }] }],
    },
    {
      path: '/v1beta/models/mock-1:generateContent',
      contents: [{ role: 'user', parts: [{ functionResponse: { response: { output: 'forty-two' } } }] }],
    },
  ];
  for (const { path, ...body } of bodies) await ask({ ...responses, path, request: () => ({ model: 'mock-1', ...body }) }, '');
  const results = model.requests.slice(before).map(({ messages: [message] }) => [message?.role, message?.text.includes('forty-two')]);
  assert.deepEqual(
    results,
    bodies.map(() => ['tool', true]),
  );
});
