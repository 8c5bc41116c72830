import type { Recognize } from '../expectedProtocol.js';

/** Every message of JSON-RPC says so itself, and no other protocol of this host is built on it. */
export const acpRecognizer = (): Recognize => (frame) =>
  typeof frame === 'object' && frame !== null && 'jsonrpc' in frame && frame.jsonrpc === '2.0' ? 'acp' : undefined;
