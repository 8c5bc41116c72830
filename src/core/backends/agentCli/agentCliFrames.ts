/** Describes the traffic of Agent-CLI. */
import type { Recognize } from '../expectedProtocol.js';
import { isFields } from '../../base/fields.js';
import { type FrameDescriber, type FrameDescription, stripContent } from '../../traffic/frameDescriber.js';
import { inputName, parseFrame } from './schema/messages.js';
import { parseJson } from '../../base/parseJson.js';

/** Recognizes a response of a known kind; no other protocol of this host has responses of these kinds. */
export const agentCliRecognizer = (): Recognize => (frame) =>
  parseFrame(frame)?.parts.some(({ type }) => type !== 'unknown') === true ? 'agent-cli' : undefined;

const contentRules = {
  structural: new Set(['request_id', 'name', 'command', 'mime_type', 'content_type']),
  harmlessBelow: new Set(['config']),
};
const shortInputs = new Set(['GetCommands', 'Interrupt', 'Regenerate', 'ClearContext']);
const lastParts = new Set(['text', 'complete']);

export const agentCliFrames: FrameDescriber = {
  describe: (frame, direction) => (direction === 'sent' ? describeRequest(frame) : describeResponse(frame)),
  stripContent: (frame) => {
    if (isFields(frame) && typeof frame['input'] === 'string' && shortInputs.has(frame['input'])) return frame;
    return stripContent(frame, contentRules);
  },
  streamed(frame) {
    if (!isFields(frame) || !isFields(frame['response']) || typeof frame['response']['Stream'] !== 'string') return undefined;
    const { response } = frame;
    return {
      stream: String(frame['request_id']),
      text: frame['response']['Stream'],
      withText: (text) => ({ ...frame, response: { ...response, Stream: text } }),
    };
  },
  endsTexts: (kind) => kind === 'response',
  parse: parseJson,
  format: (frame) => JSON.stringify(frame),
  withId: (response, id) => (isFields(response) ? { ...response, request_id: String(id) } : response),
  refuse: (request, reason) =>
    isFields(request) ? { request_id: request['request_id'], response: { Text: '' }, error: reason, token_usage: null } : undefined,
};

function describeRequest(frame: unknown): FrameDescription {
  if (!isFields(frame) || typeof frame['request_id'] !== 'string') return { kind: 'other', payload: frame };
  return { kind: 'request', id: frame['request_id'], method: inputName(frame['input']), payload: frame['input'] };
}

/** A request may have many answers; the one that ends it counts as its response. */
function describeResponse(frame: unknown): FrameDescription {
  const parsed = parseFrame(frame);
  if (parsed === undefined) return { kind: 'other', payload: frame };
  const { id, error, parts } = parsed;
  const payload = isFields(frame) ? frame['response'] : undefined;
  if (error !== undefined) return { kind: 'response', id, error: { message: error.message }, payload };
  if (parts.some(({ type }) => lastParts.has(type))) return { kind: 'response', id, payload };
  return { kind: 'notification', method: inputName(payload), payload };
}
