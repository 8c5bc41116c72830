import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { HostError } from '../../../src/core/base/errors.js';
import { WriteQueue, type WriteQueueOptions } from '../../../src/core/transport/writeQueue.js';

/** A pipe that accepts data when the test says so. */
class SlowPipe extends Writable {
  readonly writes: string[] = [];
  #taken: ((error?: Error) => void) | undefined;

  constructor() {
    super({ decodeStrings: false });
  }

  override _write(chunk: string, _: string, taken: (error?: Error) => void): void {
    this.writes.push(chunk);
    this.#taken = taken;
  }

  take(error?: Error): boolean {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.(error);
    return taken !== undefined;
  }
}

/** A queue whose `write` returns a promise. */
function queueOver(pipe: Writable, options: WriteQueueOptions = {}): Omit<WriteQueue, 'write'> & { write(text: string): Promise<void> } {
  const queue = new WriteQueue(pipe, options);
  return Object.assign(queue, {
    write: (text: string) =>
      new Promise<void>((resolve, reject) =>
        WriteQueue.prototype.write.call(queue, text, (failure) => (failure === undefined ? resolve() : reject(failure))),
      ),
  });
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function drain(pipe: SlowPipe): Promise<void> {
  while (pipe.take()) await settled();
}

const code =
  (expected: string) =>
  (error: unknown): boolean =>
    error instanceof HostError && error.code === expected;

test('texts arrive whole and in call order, with at most one write of limited size in flight', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { maxLength: 60 }),
      fc.integer({ min: 1, max: 200 }),
      async (texts, writeBytes) => {
        const pipe = new SlowPipe();
        const queue = queueOver(pipe, { writeBytes });
        const lines = texts.map((text) => JSON.stringify(text));
        const written = lines.map((text) => queue.write(text));
        assert.ok(pipe.writes.length <= 1);
        await drain(pipe);
        await Promise.all(written);
        assert.equal(pipe.writes.join(''), lines.map((line) => `${line}\n`).join(''));
        assert.equal(queue.pendingBytes, 0);
        for (const write of pipe.writes) assert.ok(Buffer.byteLength(write) <= writeBytes || write.indexOf('\n') === write.length - 1);
      },
    ),
    { numRuns: 50 },
  );
});

test('a burst of texts is combined into a few writes', async () => {
  const pipe = new SlowPipe();
  const queue = queueOver(pipe);
  const written = Array.from({ length: 1000 }, () => queue.write('x'.repeat(99)));
  await drain(pipe);
  await Promise.all(written);
  assert.equal(pipe.writes.length, 3);
});

test('a text that would exceed the limit is refused, and queued texts are kept', async () => {
  const pipe = new SlowPipe();
  const queue = queueOver(pipe, { limitBytes: 10, reserveBytes: 0 });
  const first = queue.write('12345');
  const second = queue.write('abc');
  await assert.rejects(queue.write('x'), code('queue_full'));
  await drain(pipe);
  await Promise.all([first, second]);
  assert.equal(pipe.writes.join(''), '12345\nabc\n');
  const third = queue.write('x');
  await drain(pipe);
  await third;
});

test('a text that is longer than the limit is written if nothing else is queued', async () => {
  const pipe = new SlowPipe();
  const queue = queueOver(pipe, { limitBytes: 10, reserveBytes: 0 });
  const written = queue.write('a text that is longer than the limit');
  await drain(pipe);
  await written;
});

test('if the pipe breaks, queued texts are rejected, and so are later ones', async () => {
  const pipe = new SlowPipe();
  const queue = queueOver(pipe, { writeBytes: 4 });
  const written = [queue.write('a'), queue.write('b'), queue.write('c')];
  const outcomes = Promise.allSettled(written);
  pipe.take(new Error('EPIPE'));
  assert.deepEqual(
    (await outcomes).map((outcome) => outcome.status),
    ['rejected', 'rejected', 'rejected'],
  );
  await assert.rejects(queue.write('d'), code('agent_exited'));
});

test('if the pipe closes without an error, queued texts are rejected too', async () => {
  const pipe = new SlowPipe();
  const queue = queueOver(pipe);
  const written = queue.write('a');
  pipe.destroy();
  await assert.rejects(written, code('agent_exited'));
});

test('end closes the pipe after the accepted texts, and refuses new ones', async () => {
  const pipe = new SlowPipe();
  const queue = queueOver(pipe, { writeBytes: 4 });
  const written = [queue.write('a'), queue.write('bc')];
  queue.end();
  await assert.rejects(queue.write('late'), code('agent_exited'));
  assert.equal(pipe.writableEnded, false);
  await drain(pipe);
  await Promise.all(written);
  assert.equal(pipe.writes.join(''), 'a\nbc\n');
  assert.equal(pipe.writableEnded, true);
});

test('a write that the pipe does not accept is reported as a stall repeatedly, and so is its end', async () => {
  const pipe = new SlowPipe();
  const queue = queueOver(pipe, { stallMs: 20 });
  let relieved = 0;
  queue.onRelieved(() => relieved++);
  const stalledTwice = new Promise((resolve) => queue.onStalled((stall) => queue.onStalled(() => resolve(stall))));
  const written = queue.write('hello');
  // The queue's own timer does not keep a process alive.
  const alive = setInterval(() => {}, 1000);
  assert.deepEqual(await stalledTwice, { pendingBytes: 6 });
  clearInterval(alive);
  assert.equal(relieved, 0);
  await drain(pipe);
  await written;
  assert.equal(relieved, 1);
});

test('short texts such as a cancel can use the reserve when a long one is refused', async () => {
  const pipe = new SlowPipe();
  const queue = queueOver(pipe, { limitBytes: 10_000, reserveBytes: 20 });
  const written = [queue.write('x'.repeat(9_998))];
  await assert.rejects(queue.write('y'.repeat(5_000)), code('queue_full'));
  written.push(queue.write('cancel'), queue.write('answer'));
  await assert.rejects(queue.write('one too many'), code('queue_full'));
  await drain(pipe);
  await Promise.all(written);
  assert.equal(pipe.writes.join(''), `${'x'.repeat(9_998)}\ncancel\nanswer\n`);
});
