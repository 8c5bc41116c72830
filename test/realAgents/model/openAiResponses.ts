/** The Responses API of OpenAI. */
import * as z from 'zod/mini';
import type { Dialect } from './dialect.js';
import { nextCallId } from './openAiChat.js';
import { EventStream, type ReplyPart, sendJson } from './reply.js';
import { jsonSchema, type ModelMessage, type OfferedTool, resultText } from './request.js';

const part = z.looseObject({ text: z.optional(z.string()) });
const item = z.looseObject({
  type: z.optional(z.string()),
  role: z.optional(z.string()),
  content: z.optional(z.nullable(z.union([z.string(), z.array(part)]))),
  output: z.optional(z.unknown()),
});
const ownTool = z.looseObject({ type: z.string(), name: z.optional(z.string()), parameters: z.optional(jsonSchema) });
/** A `namespace` groups tools; a call names both. */
const tool = z.extend(ownTool, { tools: z.optional(z.array(ownTool)) });
const body = z.looseObject({
  model: z.string(),
  input: z.union([z.string(), z.array(item)]),
  tools: z.optional(z.array(tool)),
  stream: z.optional(z.boolean()),
});

const usage = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 15,
};

export const openAiResponses: Dialect = {
  route: /\/responses$/,
  parse(value) {
    const { model, input, tools = [], stream = false } = body.parse(value);
    const items = typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input;
    return {
      model,
      isStreaming: stream,
      messages: items.map(toMessage),
      tools: tools.flatMap(({ tools: inside, ...one }) =>
        inside === undefined ? toTool(one) : inside.flatMap((its) => toTool(its, one.name)),
      ),
    };
  },
  async send(response, reply, { model, isStreaming }) {
    if (reply.type === 'error')
      return sendJson(response, reply.status, { error: { message: reply.message, type: 'invalid_request_error' } });
    const head = { id: `resp_${nextCallId()}`, object: 'response', created_at: 1, model };
    if (!isStreaming) return sendJson(response, 200, { ...head, status: 'completed', output: reply.parts.flatMap(toItem), usage });
    const events = new EventStream(response);
    const send = (type: string, data: object): void => events.sendNamed(type, data);
    send('response.created', { response: { ...head, status: 'in_progress', output: [] } });
    const output: object[] = [];
    for (const one of reply.parts) {
      const [done] = toItem(one);
      if (done === undefined) continue;
      const at = { output_index: output.length, item_id: done.id };
      send('response.output_item.added', { output_index: output.length, item: { ...done, ...emptyOf(one) } });
      if (one.type === 'endless')
        return events.repeat(() => send('response.output_text.delta', { ...at, content_index: 0, delta: one.text }));
      if (one.type === 'text') send('response.output_text.delta', { ...at, content_index: 0, delta: one.text });
      if (one.type === 'thought') send('response.reasoning_summary_text.delta', { ...at, summary_index: 0, delta: one.text });
      send('response.output_item.done', { output_index: output.length, item: done });
      output.push(done);
    }
    send('response.completed', { response: { ...head, status: 'completed', output, usage } });
    events.end();
  },
};

function toTool({ type, name, parameters = {} }: z.infer<typeof ownTool>, namespace?: string): readonly OfferedTool[] {
  return name === undefined ? [] : [{ name, namespace, schema: parameters, isFreeform: type === 'custom' }];
}

function toMessage({ type = 'message', role, content, output }: z.infer<typeof item>): ModelMessage {
  if (/_call_output$/.test(type)) return { role: 'tool', text: resultText(output) };
  const words = typeof content === 'string' ? content : (content ?? []).map((one) => one.text ?? '').join('\n');
  return { role: type === 'message' && (role === 'user' || role === 'assistant') ? role : 'system', text: words };
}

interface OutputItem extends Readonly<Record<string, unknown>> {
  readonly id: string;
}

function toItem(part: ReplyPart): readonly OutputItem[] {
  const id = nextCallId();
  switch (part.type) {
    case 'text':
    case 'endless':
      return [
        {
          type: 'message',
          id,
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: part.text, annotations: [] }],
        },
      ];
    case 'thought':
      return [{ type: 'reasoning', id, summary: [{ type: 'summary_text', text: part.text }], encrypted_content: null }];
    case 'call':
      return [
        {
          type: 'function_call',
          id,
          call_id: id,
          name: part.name,
          ...(part.namespace !== undefined && { namespace: part.namespace }),
          arguments: JSON.stringify(part.arguments),
          status: 'completed',
        },
      ];
    case 'freeform':
      return [{ type: 'custom_tool_call', id, call_id: id, name: part.name, input: part.input, status: 'completed' }];
  }
}

/** Members that an item does not have while it is being streamed. */
function emptyOf({ type }: ReplyPart): object {
  if (type === 'text' || type === 'endless') return { content: [], status: 'in_progress' };
  return type === 'thought' ? { summary: [] } : { status: 'in_progress' };
}
