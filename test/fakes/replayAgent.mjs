/**
 * Plays a recorded conversation as an agent: `node replayAgent.mjs RECORDING`. A line is `{t, dir, frame}`; `in` frames are written as they were
 * recorded, at an `out` frame it waits until the host sends its like: a request or notification of the same method, or a response with the same id.
 * Response ids become those of the host's own requests. Exit code 1 when the host left before the recording was played to its end.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const frames = readFileSync(process.argv[2], 'utf8').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line));
/** Recorded id of a request of the host → its id now. */
const ids = new Map();
/** Requests and responses that came earlier than in the recording. A notification that is not awaited is dropped: a repeated cancel. */
const early = [];
let position = 0;

function play() {
  while (position < frames.length) {
    const { dir, frame } = frames[position];
    if (dir === 'in') {
      write(frame.method === undefined ? { ...frame, id: ids.get(frame.id) } : frame);
    } else {
      const index = early.findIndex((message) => isLike(message, frame));
      if (index === -1) return;
      meet(early.splice(index, 1)[0], frame);
    }
    position++;
  }
}

function receive(message) {
  const awaited = frames[position];
  if (awaited !== undefined && isLike(message, awaited.frame)) {
    meet(message, awaited.frame);
    position++;
    play();
  } else if (message.id !== undefined) {
    early.push(message);
  }
}

function isLike(message, recorded) {
  return recorded.method === undefined ? message.method === undefined && message.id === recorded.id : message.method === recorded.method;
}

function meet(message, recorded) {
  if (recorded.method !== undefined && recorded.id !== undefined) ids.set(recorded.id, message.id);
}

function write(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

play();
createInterface({ input: process.stdin }).on('line', (line) => receive(JSON.parse(line))).on('close', () => {
  if (position === frames.length) return;
  process.stderr.write(`Frame ${position} of ${frames.length} was never played: ${JSON.stringify(frames[position])}\n`);
  process.exitCode = 1;
});
