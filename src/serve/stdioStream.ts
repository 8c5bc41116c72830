/** Standard input and output as a stream of messages. */
import { Readable } from 'node:stream';
import { setImmediate as nextTick } from 'node:timers/promises';
import { type AnyMessage, ndJsonStream, type Stream } from '@agentclientprotocol/sdk';

export interface StdioStream {
  /** Its messages have no end: who sends nothing more may read on. */
  readonly stream: Stream;
  /** Resolves when the client has closed stdin, and each of its messages was read. */
  readonly inputEnded: Promise<void>;
  /** Resolves when all that was sent so far is written, or nobody takes it. */
  drained(): Promise<void>;
}

export function stdioStream(stdin: NodeJS.ReadStream, stdout: NodeJS.WriteStream): StdioStream {
  let writing = 0;
  const output = new WritableStream<Uint8Array>({
    async write(chunk) {
      writing++;
      try {
        // A reader that is gone ends the connection by the end of stdin.
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
      // The last message is on its way to whoever answers it.
      await nextTick();
      onEnd();
      await new Promise(() => {});
    },
  });
  return {
    stream: { readable: readable.pipeThrough(endless), writable },
    inputEnded,
    async drained() {
      // The SDK writes one message after another, each in its own time.
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
