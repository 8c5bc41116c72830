/** Describes the traffic of the agent service. */
import type { Recognize } from '../expectedProtocol.js';
import { isFields } from '../../base/fields.js';
import { type FrameDescriber, type FrameDescription, type FrameDirection, stripContent } from '../../traffic/frameDescriber.js';
import { parseJson } from '../../base/parseJson.js';
import { isPlainReply, parseQuestion, parseReply } from './schema/messages.js';

/** Recognizes an answer that contains something, with only the members of the document. */
export const agentServiceRecognizer = (): Recognize => (frame) => (isPlainReply(frame) ? 'agent-service' : undefined);

const contentRules = {
  structural: new Set(['cmd', 'method', 'model', 'language', 'kind']),
  harmlessBelow: new Set(['models']),
};

export const agentServiceFrames: FrameDescriber = {
  describe,
  stripContent: (frame) => stripContent(frame, contentRules),
  parse: parseJson,
  format: (frame) => JSON.stringify(frame),
  withId: (response, id) => (isFields(response) ? { ...response, request_id: id } : response),
  refuse: (request, reason) => (isFields(request) ? { request_id: request['request_id'], error: reason } : undefined),
};

function describe(frame: unknown, direction: FrameDirection): FrameDescription {
  if (!isFields(frame)) return { kind: 'other', payload: frame };
  const { request_id: given, cmd, ...rest } = frame;
  const id = typeof given === 'number' || typeof given === 'string' ? given : undefined;
  if (direction === 'sent') {
    return typeof cmd === 'string' ? { kind: 'request', id, method: cmd, payload: rest } : { kind: 'response', id, payload: rest };
  }
  const question = parseQuestion(frame);
  if (question !== undefined) return { kind: 'request', id, method: question.service, payload: question.params };
  const reply = parseReply(frame);
  if (reply === undefined) return { kind: 'other', payload: frame };
  return 'error' in reply
    ? { kind: 'response', id, error: { message: reply.error }, payload: rest }
    : { kind: 'response', id, payload: rest };
}
