import { jsonRpcFrames, jsonRpcStructure } from '../../rpc/jsonRpcFrames.js';
import { type ContentRules, stripContent } from '../../traffic/stripContent.js';
import { notifications, requests } from './schema/methods.js';

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

/** ACP's traffic: JSON-RPC with sessions, whose turn is cancelled by a notification. */
export const acpFrames = jsonRpcFrames({
  sessionOf,
  cancelOf: (method, params) =>
    method === notifications.cancel ? { method: requests.prompt.method, session: sessionOf(params) } : undefined,
  stripContent: (frame) => stripContent(frame, contentRules),
});

function sessionOf(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null || !('sessionId' in payload)) return undefined;
  return typeof payload.sessionId === 'string' ? payload.sessionId : undefined;
}
