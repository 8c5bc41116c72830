/** Maps the params of a client to the host's types. The SDK has checked their shapes. */
import { isAbsolute } from 'node:path';
import { type ContentBlock as WireBlock, type McpServer as WireMcpServer, RequestError } from '@agentclientprotocol/sdk';
import type { ContentBlock, McpServer } from '../core/index.js';

export function toContentBlock({ annotations, ...block }: WireBlock): ContentBlock {
  return annotations == null ? block : { ...block, annotations: { ...annotations } };
}

export function toMcpServer(server: WireMcpServer): McpServer {
  if ('type' in server) {
    const { type, name, url, headers } = server;
    return { type, name, url, headers };
  }
  const { name, command, args, env } = server;
  return { name, command, args, env };
}

/** @throws RequestError for a relative path */
export function absolute(cwd: string): string {
  if (isAbsolute(cwd)) return cwd;
  throw RequestError.invalidParams({ cwd }, 'cwd must be an absolute path');
}

/** For unchecked params: the SDK's own parser would report a wrong shape on the console. */
export function sessionIdIn(params: unknown): string | undefined {
  const sessionId = typeof params === 'object' && params !== null && 'sessionId' in params ? params.sessionId : undefined;
  return typeof sessionId === 'string' ? sessionId : undefined;
}
