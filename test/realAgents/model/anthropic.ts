/** The Messages API of Anthropic. */
import * as z from 'zod/mini';
import type { Dialect } from './dialect.js';
import { nextCallId } from './openAiChat.js';
import { EventStream, type ReplyPart, sendJson } from './reply.js';
import { jsonSchema, type ModelMessage, resultText } from './request.js';

const block = z.looseObject({ type: z.string(), text: z.optional(z.string()), content: z.optional(z.unknown()) });
const message = z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(block)]) });
const tool = z.looseObject({ name: z.string(), input_schema: z.optional(jsonSchema) });
const body = z.looseObject({
  model: z.string(),
  messages: z.array(message),
  tools: z.optional(z.array(tool)),
  stream: z.optional(z.boolean()),
});

const usage = { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 5 };

export const anthropic: Dialect = {
  route: /\/messages(\?.*)?$/,
  parse(value) {
    const { model, messages, tools = [], stream = false } = body.parse(value);
    return {
      model,
      isStreaming: stream,
      messages: messages.flatMap(toMessages),
      tools: tools.map(({ name, input_schema = {} }) => ({ name, schema: input_schema, isFreeform: false })),
    };
  },
  async send(response, reply, { model, isStreaming }) {
    if (reply.type === 'error')
      return sendJson(response, reply.status, { type: 'error', error: { type: 'invalid_request_error', message: reply.message } });
    const head = { id: `msg_${nextCallId()}`, type: 'message', role: 'assistant', model };
    const stopReason = reply.parts.some(({ type }) => type === 'call') ? 'tool_use' : 'end_turn';
    if (!isStreaming) {
      const content = reply.parts.flatMap((part) => toBlocks(part).map(({ whole }) => whole));
      return sendJson(response, 200, { ...head, content, stop_reason: stopReason, stop_sequence: null, usage });
    }
    const events = new EventStream(response);
    const send = (type: string, data: object = {}): void => events.sendNamed(type, data);
    send('message_start', { message: { ...head, content: [], stop_reason: null, stop_sequence: null, usage } });
    let index = 0;
    for (const part of reply.parts) {
      if (part.type === 'endless') {
        send('content_block_start', { index, content_block: { type: 'text', text: '' } });
        return events.repeat(() => send('content_block_delta', { index, delta: { type: 'text_delta', text: part.text } }));
      }
      for (const { empty, deltas } of toBlocks(part)) {
        send('content_block_start', { index, content_block: empty });
        for (const delta of deltas) send('content_block_delta', { index, delta });
        send('content_block_stop', { index });
        index += 1;
      }
    }
    send('message_delta', { delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: 5 } });
    send('message_stop');
    events.end();
  },
};

function toMessages({ role, content }: z.infer<typeof message>): readonly ModelMessage[] {
  const speaker = role === 'assistant' ? 'assistant' : 'user';
  if (typeof content === 'string') return [{ role: speaker, text: content }];
  return content.map((one) =>
    one.type === 'tool_result' ? { role: 'tool', text: resultText(one.content) } : { role: speaker, text: one.text ?? '' },
  );
}

interface Block {
  readonly whole: object;
  readonly empty: object;
  readonly deltas: readonly object[];
}

function toBlocks(part: ReplyPart): readonly Block[] {
  switch (part.type) {
    case 'text':
      return [
        {
          whole: { type: 'text', text: part.text },
          empty: { type: 'text', text: '' },
          deltas: [{ type: 'text_delta', text: part.text }],
        },
      ];
    case 'thought':
      return [
        {
          whole: { type: 'thinking', thinking: part.text, signature: 'scripted' },
          empty: { type: 'thinking', thinking: '', signature: '' },
          deltas: [
            { type: 'thinking_delta', thinking: part.text },
            { type: 'signature_delta', signature: 'scripted' },
          ],
        },
      ];
    case 'call': {
      const call = { type: 'tool_use', id: `toolu_${nextCallId()}`, name: part.name };
      return [
        {
          whole: { ...call, input: part.arguments },
          empty: { ...call, input: {} },
          deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(part.arguments) }],
        },
      ];
    }
    case 'freeform':
    case 'endless':
      return [];
  }
}
