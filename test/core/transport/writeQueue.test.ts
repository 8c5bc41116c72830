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

/** The queue with promises. */
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

test('whatever is written arrives whole and in call order, at most one write of 64 KB in flight', async () => {
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

test('a burst becomes few writes', async () => {
  const pipe = new SlowPipe();
  const queue = queueOver(pipe);
  const written = Array.from({ length: 1000 }, () => queue.write('x'.repeat(99)));
  await drain(pipe);
  await Promise.all(written);
  assert.equal(pipe.writes.length, 3);
});

test('over the limit the new text is refused, and what waits is kept', async () => {
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

test('a text over the limit goes when nothing else waits', async () => {
  const pipe = new SlowPipe();
  const queue = queueOver(pipe, { limitBytes: 10, reserveBytes: 0 });
  const written = queue.write('a text that is longer than the limit');
  await drain(pipe);
  await written;
});

test('when the pipe breaks everything that waits is rejected, and so is what comes after', async () => {
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

test('a pipe that closes without an error rejects as well', async () => {
  const pipe = new SlowPipe();
  const queue = queueOver(pipe);
  const written = queue.write('a');
  pipe.destroy();
  await assert.rejects(written, code('agent_exited'));
});

test('end closes the pipe after what was accepted, and takes nothing more', async () => {
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

test('a write that is not taken is reported as a stall, again and again, and so is its end', async () => {
  const pipe = new SlowPipe();
  const queue = queueOver(pipe, { stallMs: 20 });
  let relieved = 0;
  queue.onRelieved(() => relieved++);
  const stalledTwice = new Promise((resolve) => queue.onStalled((stall) => queue.onStalled(() => resolve(stall))));
  const written = queue.write('hello');
  // The queue's own timer does not keep a process alive.
  const alive = setInterval(() => {}, 1000);
  assert.deepEqual(await stalledTwice, { pendingBytes: 6, afterMs: 20 });
  clearInterval(alive);
  assert.equal(relieved, 0);
  await drain(pipe);
  await written;
  assert.equal(relieved, 1);
});

test('a cancel finds room where something big does not, up to the reserve', async () => {
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
