import type { Recognize } from '../expectedProtocol.js';
import { parseFrame } from './schema/response.js';

/** An answer holds a response of a kind that is known here, and no other protocol of this host has responses of these kinds. */
export const agentCliRecognizer = (): Recognize => (frame) =>
  parseFrame(frame)?.parts.some(({ type }) => type !== 'unknown') === true ? 'agent-cli' : undefined;
