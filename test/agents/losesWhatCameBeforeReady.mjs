// A stand-in for xcsh that discards the first message, and only then reports that it is ready.
import { readLines } from './lines.mjs';

const emit = (frame) => process.stdout.write(`${JSON.stringify(frame)}\n`);
let isReady = false;

readLines(
  process.stdin,
  (line) => {
    const { id, type } = JSON.parse(line);
    if (isReady) emit({ id, type: 'response', command: type, success: true, data: { sessionId: 's1', thinkingLevel: 'off' } });
    else emit({ type: 'ready' });
    isReady = true;
  },
  () => process.exit(0),
);
