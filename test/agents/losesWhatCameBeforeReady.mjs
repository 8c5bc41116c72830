// A stand-in for xcsh that discards the first message, and only then reports that it is ready.
import { createInterface } from 'node:readline';

const emit = (frame) => process.stdout.write(`${JSON.stringify(frame)}\n`);
let isReady = false;

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, type } = JSON.parse(line);
    if (isReady) emit({ id, type: 'response', command: type, success: true, data: { sessionId: 's1', thinkingLevel: 'off' } });
    else emit({ type: 'ready' });
    isReady = true;
  })
  .on('close', () => process.exit(0));
