import type { AnyMessage, JsonRpcId, Stream } from '@agentclientprotocol/sdk';
import type { Logger } from '../core/index.js';

/** Drops responses to requests that were not sent, and logs the first one. The SDK would write each of them to the console, which it offers no way to redirect. */
export function withoutStrayResponses({ readable, writable }: Stream, log: Logger): Stream {
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
