import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod/mini';
import { placeOf } from './chatRequest.js';
import { startMockModel } from './mockModel.js';

const chunk = z.looseObject({ choices: z.array(z.looseObject({ delta: z.looseObject({ content: z.optional(z.string()) }) })) });

const chat = (baseUrl: string, prompt: string, signal?: AbortSignal): Promise<Response> =>
  fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: prompt }] }),
    ...(signal === undefined ? {} : { signal }),
  });

test('the scenario is the last marker in the last user message that carries one, the step counts the assistant messages after it', () => {
  const messages = [
    { role: 'user', content: 'SC:read' },
    { role: 'assistant', content: 'Done.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'context SC:text' },
        { type: 'text', text: 'task SC:shell' },
      ],
    },
    { role: 'assistant', content: null },
    { role: 'tool', content: 'SC:ignored' },
    { role: 'user', content: '<system-reminder>todos</system-reminder>' },
  ];
  assert.deepEqual(placeOf(messages), { scenario: 'shell', step: 1 });
});

test('a reply is a well-formed event stream that ends with [DONE], and the request is recorded', async (t) => {
  const model = await startMockModel();
  t.after(() => model.close());
  const body = await (await chat(model.baseUrl, 'SC:text')).text();
  const events = body
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => event.replace(/^data: /, ''));
  assert.equal(events.pop(), '[DONE]');
  const content = events.map((event) => chunk.parse(JSON.parse(event)).choices[0]?.delta.content ?? '').join('');
  assert.equal(content, 'Hello there.');
  assert.deepEqual(
    model.requests.map(({ scenario, step }) => ({ scenario, step })),
    [{ scenario: 'text', step: 0 }],
  );
});

test('a gate holds the reply until the test releases it', async (t) => {
  const model = await startMockModel();
  t.after(() => model.close());
  const answered = chat(model.baseUrl, 'SC:silence');
  (await model.held('silence')).release();
  assert.match(await (await answered).text(), /At last\./);
});

test('a held reply whose client leaves is abandoned and not handed out again', async (t) => {
  const model = await startMockModel();
  t.after(() => model.close());
  const leaving = new AbortController();
  const first = assert.rejects(chat(model.baseUrl, 'SC:silence', leaving.signal));
  const gate = await model.held('silence');
  leaving.abort();
  await Promise.all([first, gate.abandoned]);
  const second = chat(model.baseUrl, 'SC:silence');
  (await model.held('silence')).release();
  assert.equal((await second).status, 200);
});

test('an unknown scenario is told as a provider error, a prompt without marker lists the scenarios', async (t) => {
  const model = await startMockModel();
  t.after(() => model.close());
  assert.equal((await chat(model.baseUrl, 'SC:nonsense')).status, 400);
  assert.match(await (await chat(model.baseUrl, 'hello')).text(), /SC:shell-batch/);
});
