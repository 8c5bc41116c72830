/** Describes the traffic of the Pi family: commands and their responses, requests of the agent, and events. */
import * as z from 'zod/mini';
import type { Recognize } from '../expectedProtocol.js';
import {
  type ContentRules,
  type FrameDescriber,
  type FrameDescription,
  type StreamedPiece,
  stripContent,
} from '../../traffic/frameDescriber.js';
import { parseFrame } from './schema/frames.js';
import { parseJson } from '../../base/parseJson.js';

const frameSchema = z.looseObject({ type: z.string(), id: z.optional(z.string()) });
type Frame = z.infer<typeof frameSchema>;

const failureSchema = z.looseObject({ success: z.literal(false), error: z.string() });
const targetSchema = z.looseObject({ targetId: z.string() });
const methodSchema = z.looseObject({ method: z.string() });
const chunkSchema = z.looseObject({
  type: z.literal('message_update'),
  assistantMessageEvent: z.looseObject({ type: z.enum(['text_delta', 'thinking_delta']), delta: z.string() }),
});

/** A part of a longer frame, as Base64. */
const partSchema = z.looseObject({ type: z.literal('rpc_chunk'), chunkId: z.string(), data: z.string() });

/** Requests that are answered with an `extension_ui_response` with the same id. */
const dialogs: ReadonlySet<string> = new Set(['select', 'confirm', 'input', 'editor']);

const rules: ContentRules = {
  structural: new Set([
    'type',
    'id',
    'method',
    'role',
    'toolCallId',
    'toolName',
    'targetId',
    'stopReason',
    'reason',
    'mode',
    'level',
    'provider',
    'modelId',
    'thinkingLevel',
    'steeringMode',
    'followUpMode',
    'interruptMode',
    'streamingBehavior',
    'disposition',
    'mimeType',
    'notifyType',
    'statusKey',
    'widgetKey',
    'status',
  ]),
  harmlessBelow: new Set(['error', 'model', 'models']),
};

const responseRules: ContentRules = { ...rules, structural: new Set([...rules.structural, 'command']) };

export const piFrames: FrameDescriber = {
  describe(value, direction) {
    const frame = frameSchema.safeParse(value).data;
    if (frame === undefined) return { kind: 'other', payload: value };
    return direction === 'sent' ? describeSent(frame) : describeReceived(frame);
  },
  // In a response, `command` names the command; elsewhere it is a command line.
  stripContent: (frame) => stripContent(frame, frameSchema.safeParse(frame).data?.type === 'response' ? responseRules : rules),
  streamed(value) {
    const frame = chunkSchema.safeParse(value).data;
    if (frame === undefined) return partOf(value);
    const { assistantMessageEvent: piece } = frame;
    return {
      stream: piece.type,
      text: piece.delta,
      withText: (delta) => ({ ...frame, assistantMessageEvent: { ...piece, delta } }),
    };
  },
  endsTexts: (kind, method) => kind === 'notification' && method === 'message_end',
  parse: parseJson,
  format: (frame) => JSON.stringify(frame),
  withId: (response, id) => (typeof response === 'object' && response !== null ? { ...response, id } : response),
  refuse(request, error) {
    const frame = frameSchema.safeParse(request).data;
    return frame && { id: frame.id, type: 'response', command: frame.type, success: false, error };
  },
};

/** A secret would not be recognized in Base64. One byte is one character, so that a part may end anywhere. */
function partOf(value: unknown): StreamedPiece | undefined {
  const frame = partSchema.safeParse(value).data;
  if (frame === undefined) return undefined;
  return {
    stream: `rpc_chunk ${frame.chunkId}`,
    text: Buffer.from(frame.data, 'base64').toString('latin1'),
    withText: (text) => ({ ...frame, data: Buffer.from(text, 'latin1').toString('base64') }),
  };
}

function describeSent(frame: Frame): FrameDescription {
  const { type, id } = frame;
  if (type === 'extension_ui_response' || type === 'host_tool_result') return { kind: 'response', id, payload: frame };
  return { kind: type === 'host_tool_update' ? 'notification' : 'request', id, method: type, payload: frame };
}

function describeReceived(frame: Frame): FrameDescription {
  const { type, id } = frame;
  if (type === 'response') {
    const failure = failureSchema.safeParse(frame).data;
    return { kind: 'response', id, payload: frame, ...(failure && { error: { message: failure.error } }) };
  }
  const target = targetSchema.safeParse(frame).data;
  const cancels = target && { cancels: { id: target.targetId } };
  if (type === 'host_tool_call') return { kind: 'request', id, method: type, payload: frame };
  if (type !== 'extension_ui_request') return { kind: 'notification', method: type, payload: frame, ...cancels };
  const method = methodSchema.safeParse(frame).data?.method ?? '';
  return { kind: dialogs.has(method) ? 'request' : 'notification', id, method: `${type} ${method}`, payload: frame, ...cancels };
}

/** An answer identifies the protocol. `ready` alone could come from any program, but before an answer it tells the two dialects apart. */
export function piRecognizer(): Recognize {
  let saidReady = false;
  return (frame) => {
    const { kind } = parseFrame(frame);
    saidReady ||= kind === 'ready';
    if (kind !== 'response') return undefined;
    return saidReady ? 'xcsh' : 'pi';
  };
}
