/** vscode-jsonrpc, connected to two functions instead of two streams. It correlates requests, answers and cancellations; notifications of the agent never enter it. */
import {
  CancellationReceiverStrategy,
  type CancellationToken,
  type DataCallback,
  Event,
  type Message,
  type MessageConnection,
  ParameterStructures,
  createMessageConnection,
} from 'vscode-jsonrpc/node';
import { CANCEL_REQUEST } from './message.js';

export interface JsonRpcPorts {
  /** Every message that the library sends, synchronously with the call that caused it. What comes of it is told another way. */
  readonly write: (message: Message) => Promise<void>;
  /** A request that was delivered. Called in the next `setImmediate`. What it throws is answered as an error. */
  readonly answer: (method: string, params: unknown, token: CancellationToken) => Promise<unknown>;
  readonly log: (message: string) => void;
}

export interface JsonRpcAdapter {
  readonly connection: MessageConnection;
  /** Hands over a message of the agent. A response resolves its promise before this returns. */
  readonly deliver: DataCallback;
}

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
      // Any limit makes the library resolve responses at once instead of queueing them, one `setImmediate` each. That lets them overtake
      // what is in its queue, which here is never more than the one request that the ReadGate waits for.
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
  // One handler for all methods: only that is given missing, null and positional params as they are.
  connection.onRequest((method, params, token) => answer(method, params, token));
  connection.listen();
  return { connection, deliver };
}
