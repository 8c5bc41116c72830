import type { Recognize } from '../expectedProtocol.js';
import { isPlainReply } from './schema/reply.js';

/** An answer that says something, and nothing but what the document has. */
export const agentServiceRecognizer = (): Recognize => (frame) => (isPlainReply(frame) ? 'agent-service' : undefined);
