import * as z from 'zod/mini';
import { textMember } from '../../base/fields.js';
import type { Recognize } from '../expectedProtocol.js';
import { jsonRpcFrames, jsonRpcStructure } from '../../rpc/message.js';
import { incoming, notifications, requests } from './schema/methods.js';
import { type ContentRules, stripContent } from '../../traffic/frameDescriber.js';

/** Every JSON-RPC message identifies itself, and no other protocol of this host is based on JSON-RPC. */
export const acpRecognizer = (): Recognize => (frame) =>
  typeof frame === 'object' && frame !== null && 'jsonrpc' in frame && frame.jsonrpc === '2.0' ? 'acp' : undefined;

const contentRules: ContentRules = {
  structural: new Set([
    ...jsonRpcStructure.structural,
    'sessionId',
    'sessionUpdate',
    'toolCallId',
    'type',
    'kind',
    'status',
    'stopReason',
    'outcome',
    'optionId',
    'modeId',
    'currentModeId',
    'configId',
    'currentValue',
    'modelId',
    'currentModelId',
    'priority',
    'category',
    'mimeType',
    'version',
    'audience',
  ]),
  harmlessBelow: new Set([
    ...jsonRpcStructure.harmlessBelow,
    'agentInfo',
    'clientInfo',
    'agentCapabilities',
    'clientCapabilities',
    'authMethods',
    'availableCommands',
    'configOptions',
    'modes',
    'models',
  ]),
};

/** Describes ACP's traffic: JSON-RPC with sessions, where a notification cancels a turn. */
export const acpFrames = jsonRpcFrames({
  sessionOf,
  cancelOf: (method, params) =>
    method === notifications.cancel ? { method: requests.prompt.method, session: sessionOf(params) } : undefined,
  stripContent: (frame) => stripContent(frame, contentRules),
  endsTexts: (method) => method === requests.prompt.method,
  streamed(frame) {
    const parsed = chunkSchema.safeParse(frame);
    if (!parsed.success) return undefined;
    const { params } = parsed.data;
    const { update } = params;
    return {
      stream: `${update.sessionUpdate} ${params.sessionId}`,
      text: update.content.text,
      withText: (text) => ({ ...parsed.data, params: { ...params, update: { ...update, content: { ...update.content, text } } } }),
    };
  },
});

const chunkSchema = z.looseObject({
  method: z.literal(incoming.update),
  params: z.looseObject({
    sessionId: z.string(),
    update: z.looseObject({
      sessionUpdate: z.enum(['agent_message_chunk', 'agent_thought_chunk', 'user_message_chunk']),
      content: z.looseObject({ text: z.string() }),
    }),
  }),
});

function sessionOf(payload: unknown): string | undefined {
  return textMember(payload, 'sessionId');
}
