/** Reads the lines of stdin, split at LF only: JSON may contain U+2028, at which `readline` splits too (since Node 24). */
import { type Disposable, LineSplitter } from '../../core/index.js';

export interface LineReader {
  /** Called without the line end; empty lines are skipped. */
  readonly onLine: (line: string) => void;
  /** Called instead of `onLine` with the beginning of a line that exceeds the core's limit. */
  readonly onLineTooLong: (head: string) => void;
  /** Called once, at the end of stdin. */
  readonly onEnd: () => void;
}

/** Reads until the end of stdin. After disposing, `onEnd` is not called. */
export function readLines(stdin: NodeJS.ReadStream, { onLine, onLineTooLong, onEnd }: LineReader): Disposable {
  const stop = (): void => {
    // The rest of the current chunk must not be delivered either.
    splitter.pause();
    stdin.off('data', onData).off('end', onStdinEnd).off('error', finish);
  };
  const finish = (): void => {
    stop();
    onEnd();
  };
  const splitter = new LineSplitter({
    onLine(buffer, start, end) {
      const line = buffer.toString('utf8', start, end);
      if (line.trim() !== '') onLine(line);
    },
    onLineTooLong: (head) => onLineTooLong(head.toString('utf8')),
    onGiveUp: finish,
  });
  const onData = (chunk: Buffer): void => splitter.push(chunk);
  const onStdinEnd = (): void => {
    splitter.end();
    finish();
  };
  // An error means that the terminal or the pipe is gone, so nothing more arrives.
  stdin.on('data', onData).once('end', onStdinEnd).once('error', finish);
  return {
    dispose() {
      stop();
      stdin.destroy();
    },
  };
}
