import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';

/**
 * Delivers a message only when the one before has reached its handler. The SDK offers a message to one handler after another, so a later
 * message would overtake it if its handler comes first: a prompt would begin in the mode before the one that the client has just set.
 */
export function inOrder({ readable, writable }: Stream): Stream {
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    async transform(message, controller) {
      controller.enqueue(message);
      // Runs after all promise callbacks, and before anything else is read from the client.
      await new Promise<void>((resolve) => process.nextTick(resolve));
    },
  });
  return { readable: readable.pipeThrough(incoming), writable };
}
