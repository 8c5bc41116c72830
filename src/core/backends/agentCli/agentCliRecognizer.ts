import type { Recognize } from '../expectedProtocol.js';
import { parseFrame } from './schema/response.js';

/** Recognizes a response of a known kind; no other protocol of this host has responses of these kinds. */
export const agentCliRecognizer = (): Recognize => (frame) =>
  parseFrame(frame)?.parts.some(({ type }) => type !== 'unknown') === true ? 'agent-cli' : undefined;
