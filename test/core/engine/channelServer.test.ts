/** What a front end shows, however slowly it reads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { toDisposable } from '../../../src/core/base/disposable.js';
import { Emitter } from '../../../src/core/base/event.js';
import type { Batch } from '../../../src/core/conversation/events.js';
import { ChannelServer, RemoteReplica, type Replicated } from '../../../src/core/engine/replica.js';
import type { Wire } from '../../../src/core/link/wire.js';

interface Counted {
  readonly revision: number;
  readonly numbers: readonly number[];
}

type Told = Exclude<Replicated<Counted, number>, { type: 'closed' }>;

const reduce = (state: Counted, { revision, events }: Batch<number>): Counted => ({ revision, numbers: [...state.numbers, ...events] });

/** A list of numbers that grows, and a front end that reads one message at a time. @param isSlow it is known when it has read one */
function open(isSlow: boolean, whenSaved?: () => Promise<unknown> | undefined) {
  const onBatch = new Emitter<Batch<number>>();
  let state: Counted = { revision: 0, numbers: [] };
  const waiting: { readonly message: Told; readonly done: () => void }[] = [];
  const wire: Wire = {
    call: () => Promise.resolve(undefined),
    tell(_, message) {
      const taken = new Promise<void>((done) => waiting.push({ message: message as Told, done }));
      return isSlow ? taken : undefined;
    },
    serve() {},
    onTold: () => toDisposable(() => {}),
    onClosed: () => toDisposable(() => {}),
    dispose() {},
  };
  const source = {
    get state() {
      return state;
    },
    onBatch: onBatch.event,
  };
  const server = new ChannelServer<Counted, number>({ source, wire, channel: 'numbers', ...(whenSaved && { whenSaved }) });
  const replica = new RemoteReplica<Counted, number, never>({
    initial: { revision: 0, numbers: [] },
    reduce,
    execute: () => Promise.resolve({ ok: true }),
    resync: () => server.snapshot(),
  });
  const kinds: string[] = [];
  return {
    server,
    replica,
    /** The types of the messages that were read. */
    kinds,
    get state() {
      return state;
    },
    grow(...numbers: number[]) {
      const batch = { revision: state.revision + 1, events: numbers };
      state = reduce(state, batch);
      onBatch.fire(batch);
    },
    /** Loses a message. */
    drop: () => waiting.shift()?.done(),
    /** @returns false if there is nothing to read */
    read(): boolean {
      const next = waiting.shift();
      if (next === undefined) return false;
      kinds.push(next.message.type);
      replica.receive(next.message);
      next.done();
      return true;
    },
  };
}

test('a front end that reads whenever it likes ends with the same state', () => {
  const step = fc.oneof(
    fc.record({ grow: fc.array(fc.nat(9), { minLength: 1, maxLength: 4 }) }),
    fc.constant('read' as const),
    fc.constant('flush' as const),
    fc.constant('snapshot' as const),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.boolean(), (steps, isSlow) => {
      const opened = open(isSlow);
      for (const one of steps) {
        if (one === 'read') opened.read();
        else if (one === 'flush') void opened.server.flush();
        else if (one === 'snapshot') opened.server.snapshot();
        else opened.grow(...one.grow);
      }
      void opened.server.flush();
      while (opened.read());
      opened.server.dispose();
      assert.deepEqual(opened.replica.state, opened.state);
    }),
  );
});

test('a front end that is far behind gets a snapshot instead of what it missed', () => {
  const opened = open(true);
  // Many at a time, because each time makes a new list.
  for (let first = 0; first < 30_000; first += 1_000) opened.grow(...Array.from({ length: 1_000 }, (_, index) => first + index));
  void opened.server.flush();
  while (opened.read());
  opened.server.dispose();
  assert.deepEqual(opened.kinds, ['snapshot', 'snapshot']);
  assert.equal(opened.replica.state.numbers.length, 30_000);
});

test('what happens while a front end reads arrives as one batch', () => {
  const opened = open(true);
  opened.read();
  for (let index = 0; index < 100; index++) opened.grow(index);
  void opened.server.flush();
  while (opened.read());
  opened.server.dispose();
  assert.deepEqual(opened.kinds, ['snapshot', 'batch']);
});

test('a front end that lacks a batch asks for a snapshot, once, and goes on from there', () => {
  const opened = open(false);
  opened.read();
  opened.grow(1);
  opened.drop();
  for (const number of [2, 3]) opened.grow(number);
  while (opened.read());
  opened.grow(4);
  while (opened.read());
  opened.server.dispose();
  assert.deepEqual(opened.kinds, ['snapshot', 'batch', 'batch', 'snapshot', 'batch']);
  assert.deepEqual(opened.replica.state, opened.state);
});

test('what must be saved first is told when it is, with what followed it', async () => {
  let save = (): void => {};
  let isDue = false;
  const list = open(false, () => (isDue ? new Promise<void>((resolve) => (save = resolve)) : undefined));
  list.read();
  list.grow(1);
  list.read();
  isDue = true;
  list.grow(2);
  isDue = false;
  list.grow(3);
  const flushed = list.server.flush();
  assert.equal(list.read(), false);
  save();
  await flushed;
  list.read();
  assert.deepEqual(list.replica.state, { revision: 3, numbers: [1, 2, 3] });
});
