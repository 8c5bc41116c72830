/** Members whose strings say what a message is, and not what was said in it. */
const structural = new Set([
  'jsonrpc',
  'method',
  'id',
  'requestId',
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
  'code',
  'audience',
]);
/** Below them every string is about the agent and not about the conversation. */
const harmlessBelow = new Set([
  'error',
  'agentInfo',
  'clientInfo',
  'agentCapabilities',
  'clientCapabilities',
  'authMethods',
  'availableCommands',
  'configOptions',
  'modes',
  'models',
]);

/** The same message without the conversation: its shape stays, and of each text its length. */
export function stripContent(message: unknown): unknown {
  return strip(message, '');
}

function strip(value: unknown, key: string): unknown {
  if (typeof value === 'string') return structural.has(key) ? value : `[${value.length} characters]`;
  if (typeof value !== 'object' || value === null) return value;
  if (harmlessBelow.has(key)) return value;
  if (Array.isArray(value)) return value.map((item) => strip(item, key));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, strip(member, name)]));
}
