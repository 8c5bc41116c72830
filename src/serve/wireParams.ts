/** Maps the params of a client to the host's types. The SDK has checked their shapes. */
import type { ContentBlock as WireBlock, McpServer as WireMcpServer } from '@agentclientprotocol/sdk';
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
