/**
 * Connects vscode-jsonrpc to two functions instead of two streams. The library correlates requests, answers and cancellations;
 * notifications of the agent do not pass through it.
 */
import {
  CancellationReceiverStrategy,
  type CancellationToken,
  type DataCallback,
  Event,
  type Message,
  type MessageConnection,
  type NotificationMessage,
  ParameterStructures,
  createMessageConnection,
} from 'vscode-jsonrpc/node';
import { CANCEL_REQUEST } from './message.js';

export interface JsonRpcPorts {
  /**
   * Gets every message that the library sends, synchronously with the call that caused it. The library does not learn what becomes of it.
   */
  readonly write: (message: Message) => Promise<void>;
  /** Answers a request that was delivered. Called in the next `setImmediate`. What it throws is sent as an error. */
  readonly answer: (method: string, params: unknown, token: CancellationToken) => Promise<unknown>;
  readonly log: (message: string) => void;
}

export interface JsonRpcAdapter {
  readonly connection: MessageConnection;
  /** Passes a message of the agent to the library. A response resolves its promise before this returns. */
  readonly deliver: DataCallback;
  /** Cancels a request that was delivered. */
  readonly cancel: (id: string | number) => void;
}

const cancelMethod = '$/cancelRequest';

const nothing = { dispose: () => {} };

export function connectJsonRpc({ write, answer, log }: JsonRpcPorts): JsonRpcAdapter {
  let deliver: DataCallback = () => {};
  const reader = {
    onError: Event.None,
    onClose: Event.None,
    onPartialMessage: Event.None,
    ...nothing,
    listen: (callback: DataCallback) => {
      deliver = callback;
      return nothing;
    },
  };
  const writer = { onError: Event.None, onClose: Event.None, end: () => {}, write, ...nothing };
  const connection = createMessageConnection(
    reader,
    writer,
    { error: log, warn: log, info: log, log },
    {
      // With any limit, the library resolves responses at once instead of queueing them, one per `setImmediate`. Responses could then
      // overtake what is in its queue, but that is never more than the one request that the ReadGate waits for.
      maxParallelism: Number.MAX_SAFE_INTEGER,
      cancellationStrategy: {
        receiver: CancellationReceiverStrategy.Message,
        sender: {
          sendCancellation: (sender, id) => sender.sendNotification(CANCEL_REQUEST, ParameterStructures.byName, { requestId: id }),
          cleanup: () => {},
        },
      },
    },
  );
  // One handler for all methods, because only such a handler gets missing, null and positional params unchanged.
  connection.onRequest((method, params, token) => answer(method, params, token));
  connection.listen();
  const cancel = (id: string | number): void => {
    const message: NotificationMessage = { jsonrpc: '2.0', method: cancelMethod, params: { id } };
    deliver(message);
  };
  return { connection, deliver, cancel };
}
