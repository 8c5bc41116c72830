import { type AnyMessage, methods, type Stream } from '@agentclientprotocol/sdk';

const opening: ReadonlySet<string> = new Set([methods.agent.session.new, methods.agent.session.load]);

/** Adds the list of MCP servers, which some clients leave out. The SDK refuses these requests. */
export function withMcpServers({ readable, writable }: Stream): Stream {
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      controller.enqueue('method' in message && opening.has(message.method) ? { ...message, params: completed(message.params) } : message);
    },
  });
  return { readable: readable.pipeThrough(incoming), writable };
}

function completed(params: unknown): unknown {
  return typeof params === 'object' && params !== null && !('mcpServers' in params) ? { ...params, mcpServers: [] } : params;
}
