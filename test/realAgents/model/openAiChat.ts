/** The Chat Completions API of OpenAI. */
import * as z from 'zod/mini';
import type { Dialect } from './dialect.js';
import { EventStream, sendJson } from './reply.js';
import { jsonSchema, type ModelMessage } from './request.js';

const part = z.looseObject({ text: z.optional(z.string()) });
const message = z.looseObject({ role: z.string(), content: z.optional(z.nullable(z.union([z.string(), z.array(part)]))) });
const tool = z.looseObject({ function: z.looseObject({ name: z.string(), parameters: z.optional(jsonSchema) }) });
const body = z.looseObject({
  model: z.string(),
  messages: z.array(message),
  tools: z.optional(z.array(tool)),
  stream: z.optional(z.boolean()),
});

const roles: Readonly<Record<string, ModelMessage['role']>> = { user: 'user', assistant: 'assistant', tool: 'tool' };
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

export const openAiChat: Dialect = {
  route: /\/chat\/completions$/,
  parse(value) {
    const { model, messages, tools = [], stream = false } = body.parse(value);
    return {
      model,
      isStreaming: stream,
      messages: messages.map(({ role, content }) => ({ role: roles[role] ?? 'system', text: textOf(content) })),
      tools: tools.map(({ function: { name, parameters = {} } }) => ({ name, schema: parameters, isFreeform: false })),
    };
  },
  async send(response, reply, { model, isStreaming }) {
    if (reply.type === 'error')
      return sendJson(response, reply.status, { error: { message: reply.message, type: 'invalid_request_error' } });
    if (!isStreaming) {
      const content = reply.parts.map((one) => (one.type === 'text' ? one.text : '')).join('');
      const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
      return sendJson(response, 200, { id: 'c1', object: 'chat.completion', created: 1, model, choices, usage });
    }
    const events = new EventStream(response);
    const send = (choices: readonly object[], more: object = {}): void =>
      events.send({ id: 'c1', object: 'chat.completion.chunk', created: 1, model, choices, ...more });
    const delta = (words: object): void => send([{ index: 0, delta: words, finish_reason: null }]);
    delta({ role: 'assistant', content: '' });
    let calls = 0;
    for (const one of reply.parts) {
      if (one.type === 'endless') return events.repeat(() => delta({ content: one.text }));
      if (one.type === 'text') delta({ content: one.text });
      if (one.type === 'thought') delta({ reasoning_content: one.text });
      if (one.type !== 'call') continue;
      const call = { name: one.name, arguments: JSON.stringify(one.arguments) };
      delta({ tool_calls: [{ index: calls++, id: nextCallId(), type: 'function', function: call }] });
    }
    send([{ index: 0, delta: {}, finish_reason: calls === 0 ? 'stop' : 'tool_calls' }]);
    send([], { usage });
    events.end('data: [DONE]\n\n');
  },
};

function textOf(content: z.infer<typeof message>['content']): string {
  return typeof content === 'string' ? content : (content ?? []).map((one) => one.text ?? '').join('\n');
}

let lastCall = 0;

/** @returns an id that no earlier call has, not even in another turn */
export function nextCallId(): string {
  lastCall += 1;
  return `call_${Date.now().toString(36)}${lastCall}`;
}
