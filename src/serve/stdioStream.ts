/** Standard input and output as a stream of messages. */
import { Readable } from 'node:stream';
import { setImmediate as nextTick } from 'node:timers/promises';
import { ndJsonStream, type Stream } from '@agentclientprotocol/sdk';

export interface StdioStream {
  readonly stream: Stream;
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
  return {
    stream: ndJsonStream(output, Readable.toWeb(stdin)),
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
