import type { Recognize } from '../expectedProtocol.js';

/** Every JSON-RPC message identifies itself, and no other protocol of this host is based on JSON-RPC. */
export const acpRecognizer = (): Recognize => (frame) =>
  typeof frame === 'object' && frame !== null && 'jsonrpc' in frame && frame.jsonrpc === '2.0' ? 'acp' : undefined;
