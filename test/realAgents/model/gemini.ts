/** The generateContent API of Gemini. */
import * as z from 'zod/mini';
import type { Dialect } from './dialect.js';
import { EventStream, type ReplyPart, sendJson } from './reply.js';
import { jsonSchema, type ModelMessage, resultText } from './request.js';

const part = z.looseObject({ text: z.optional(z.string()), functionResponse: z.optional(z.unknown()) });
const content = z.looseObject({ role: z.optional(z.string()), parts: z.optional(z.array(part)) });
const declaration = z.looseObject({
  name: z.string(),
  parameters: z.optional(jsonSchema),
  parametersJsonSchema: z.optional(jsonSchema),
});
const body = z.looseObject({
  contents: z.union([z.array(content), content]),
  tools: z.optional(z.array(z.looseObject({ functionDeclarations: z.optional(z.array(declaration)) }))),
  generationConfig: z.optional(z.looseObject({ responseJsonSchema: z.optional(jsonSchema), responseSchema: z.optional(jsonSchema) })),
});

const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };

export const gemini: Dialect = {
  route: /:(streamGenerateContent|generateContent)(\?.*)?$/,
  parse(value, path) {
    const { contents, tools = [], generationConfig } = body.parse(value);
    const [, model = ''] = /models\/([^:]+):/.exec(path) ?? [];
    return {
      model,
      isStreaming: path.includes(':stream'),
      messages: (Array.isArray(contents) ? contents : [contents]).flatMap(toMessages),
      tools: tools.flatMap(({ functionDeclarations = [] }) =>
        functionDeclarations.map(({ name, parametersJsonSchema, parameters = {} }) => ({
          name,
          schema: parametersJsonSchema ?? parameters,
          isFreeform: false,
        })),
      ),
      answerSchema: generationConfig?.responseJsonSchema ?? generationConfig?.responseSchema,
    };
  },
  async send(response, reply, { model, isStreaming }) {
    if (reply.type === 'error')
      return sendJson(response, reply.status, { error: { code: reply.status, message: reply.message, status: 'INVALID_ARGUMENT' } });
    const frame = (parts: readonly object[], finishReason?: 'STOP'): object => ({
      candidates: [{ index: 0, content: { role: 'model', parts }, ...(finishReason === undefined ? {} : { finishReason }) }],
      modelVersion: model,
      usageMetadata,
    });
    if (!isStreaming) return sendJson(response, 200, frame(reply.parts.flatMap(toParts), 'STOP'));
    const events = new EventStream(response);
    for (const one of reply.parts) {
      if (one.type === 'endless') return events.repeat(() => events.send(frame([{ text: one.text }])));
      events.send(frame(toParts(one)));
    }
    events.send(frame([{ text: '' }], 'STOP'));
    events.end();
  },
};

function toMessages({ role, parts = [] }: z.infer<typeof content>): readonly ModelMessage[] {
  return parts.map((one) => {
    if (one.functionResponse !== undefined) return { role: 'tool', text: resultText(one.functionResponse) };
    return { role: role === 'model' ? 'assistant' : 'user', text: one.text ?? '' };
  });
}

function toParts(one: ReplyPart): readonly object[] {
  if (one.type === 'text') return [{ text: one.text }];
  if (one.type === 'thought') return [{ text: one.text, thought: true }];
  return one.type === 'call' ? [{ functionCall: { name: one.name, args: one.arguments } }] : [];
}
