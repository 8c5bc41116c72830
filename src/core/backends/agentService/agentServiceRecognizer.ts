import type { Recognize } from '../expectedProtocol.js';
import { isPlainReply } from './schema/reply.js';

/** Recognizes an answer that contains something, with only the members of the document. */
export const agentServiceRecognizer = (): Recognize => (frame) => (isPlainReply(frame) ? 'agent-service' : undefined);
