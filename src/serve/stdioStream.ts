/** Standard input and output as a stream of messages. */
import { Readable } from 'node:stream';
import { setImmediate as nextTick } from 'node:timers/promises';
import { type AnyMessage, ndJsonStream, type Stream } from '@agentclientprotocol/sdk';

export interface StdioStream {
  /** The stream does not end when the client sends nothing more, because it may still read. */
  readonly stream: Stream;
  /** Resolves when the client has closed stdin and all of its messages were read. */
  readonly inputEnded: Promise<void>;
  /** Resolves when everything sent so far was written, or when nobody reads it. */
  drained(): Promise<void>;
}

export function stdioStream(stdin: NodeJS.ReadStream, stdout: NodeJS.WriteStream): StdioStream {
  let writing = 0;
  const output = new WritableStream<Uint8Array>({
    async write(chunk) {
      writing++;
      try {
        // If the reader is gone, the end of stdin ends the connection.
        if (!stdout.destroyed && !stdout.write(chunk)) await untilDrained(stdout);
      } finally {
        writing--;
      }
    },
  });
  let onEnd = (): void => {};
  const inputEnded = new Promise<void>((resolve) => (onEnd = resolve));
  const { readable, writable } = ndJsonStream(output, Readable.toWeb(stdin));
  const endless = new TransformStream<AnyMessage, AnyMessage>({
    async flush() {
      // The last message is still on its way to its handler.
      await nextTick();
      onEnd();
      await new Promise(() => {});
    },
  });
  return {
    stream: { readable: readable.pipeThrough(endless), writable },
    inputEnded,
    async drained() {
      // The SDK writes one message after another, each in a separate task.
      do await nextTick();
      while (writing > 0);
    },
  };
}

function untilDrained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done).off('error', done);
      resolve();
    };
    stream.on('drain', done).on('close', done).on('error', done);
  });
}
