/** What makes the messages of a client fit for the SDK. */
import { type AnyMessage, type JsonRpcId, methods, type Stream } from '@agentclientprotocol/sdk';
import type { Logger } from '../core/index.js';

export function clientStream(stream: Stream, log: Logger): Stream {
  return inOrder(withMcpServers(withoutStrayResponses(stream, log)));
}

/**
 * Delivers a message only when the one before has reached its handler. The SDK offers a message to one handler after another, so a later
 * message would overtake it if its handler comes first: a prompt would begin in the mode before the one that the client has just set.
 */
function inOrder({ readable, writable }: Stream): Stream {
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    async transform(message, controller) {
      controller.enqueue(message);
      // Runs after all promise callbacks, and before anything else is read from the client.
      await new Promise<void>((resolve) => process.nextTick(resolve));
    },
  });
  return { readable: readable.pipeThrough(incoming), writable };
}

const opening: ReadonlySet<string> = new Set([methods.agent.session.new, methods.agent.session.load]);

/** Adds the list of MCP servers, which some clients leave out. The SDK refuses these requests. */
function withMcpServers({ readable, writable }: Stream): Stream {
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

/** Drops responses to requests that were not sent, and logs the first one. The SDK would write each of them to the console, which it offers no way to redirect. */
function withoutStrayResponses({ readable, writable }: Stream, log: Logger): Stream {
  const open = new Set<JsonRpcId>();
  let isLogged = false;
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if (!isResponse(message) || ('id' in message && open.delete(message.id))) return controller.enqueue(message);
      const level = isLogged ? 'debug' : 'warn';
      log[level]('The client answered a request that was not sent; further ones are logged at the debug level');
      isLogged = true;
    },
  });
  const writer = writable.getWriter();
  const outgoing = new WritableStream<AnyMessage>({
    write(message) {
      if ('method' in message && 'id' in message) open.add(message.id);
      return writer.write(message);
    },
    close: () => writer.close(),
    abort: (reason) => writer.abort(reason),
  });
  return { readable: readable.pipeThrough(incoming), writable: outgoing };
}

/** Returns true also for a response without an id. */
function isResponse(message: object): boolean {
  return !('method' in message) && ('id' in message || 'result' in message || 'error' in message);
}
