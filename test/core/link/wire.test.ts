import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { HostError } from '../../../src/core/base/errors.js';
import { createSocketWire } from '../../../src/core/link/socketWire.js';
import { createWirePair, type Wire } from '../../../src/core/link/wire.js';
import { failsWith } from './linkLab.js';

/** Two connected sockets, both paused. */
async function openSockets(t: TestContext): Promise<readonly [Socket, Socket]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'acp-wire-'));
  const server = createServer({ pauseOnConnect: true });
  server.listen(path.join(folder, 's'));
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const socket = connect(path.join(folder, 's')).pause();
  await once(socket, 'connect');
  const [other] = await accepted;
  t.after(async () => {
    for (const one of [socket, other]) one.destroy();
    server.close();
    await rm(folder, { recursive: true });
  });
  return [socket, other];
}

async function openSocketWires(t: TestContext): Promise<readonly [Wire, Wire]> {
  const [one, two] = await openSockets(t);
  return [createSocketWire(one), createSocketWire(two)];
}

const closing = (wire: Wire): Promise<HostError> => new Promise((resolve) => wire.onClosed(resolve));

const kinds: readonly { readonly kind: string; readonly open: (t: TestContext) => Promise<readonly [Wire, Wire]> }[] = [
  { kind: 'in one process', open: async () => createWirePair() },
  { kind: 'over a socket', open: openSocketWires },
];

for (const { kind, open } of kinds) {
  describe(`a wire ${kind}`, () => {
    it('carries calls in both directions, with any JSON and undefined', async (t) => {
      const [here, there] = await open(t);
      here.serve(async (method, params) => [method, params]);
      there.serve(async (_, params) => params);
      for (const value of [undefined, null, 0, 'ä\n', [1, [2]], { a: { b: null } }])
        assert.deepEqual(await here.call('echo', value), value);
      assert.deepEqual(await there.call('m', { x: 1 }), ['m', { x: 1 }]);
    });

    it('carries errors with their code and params, and anything else that was thrown as internal', async (t) => {
      const [here, there] = await open(t);
      there.serve(async (method) => {
        if (method === 'host') throw new HostError('usage', { reason: 'option_unknown', option: 'o', offered: ['a'] });
        throw new Error('broken');
      });
      const error = await failsWith(here.call('host', {}), 'usage', 'option_unknown');
      assert.deepEqual(error.params, { reason: 'option_unknown', option: 'o', offered: ['a'] });
      assert.equal((await failsWith(here.call('other', {}), 'internal')).params.detail, 'broken');
    });

    it('answers calls with an error while nobody serves', async (t) => {
      const [here] = await open(t);
      await failsWith(here.call('m', {}), 'internal', 'wire_not_served');
    });

    it('delivers tells, calls and answers in order', async (t) => {
      const [here, there] = await open(t);
      const seen: string[] = [];
      there.onTold(({ channel, message }) => {
        seen.push(`${channel} ${String(message)}`);
        // A listener that speaks must not overtake what is on its way.
        if (message === 0) void there.tell('back', 'echo');
      });
      there.serve(async (method) => {
        seen.push(method);
        await there.tell('back', `before ${method}`);
        return undefined;
      });
      const heard: unknown[] = [];
      here.onTold(({ message }) => heard.push(message));
      const calls: Promise<unknown>[] = [];
      for (let number = 0; number < 50; number++) {
        void here.tell('t', number);
        calls.push(here.call(`call ${number}`, {}).then(() => heard.push(`answer ${number}`)));
      }
      await Promise.all(calls);
      const numbers = Array.from({ length: 50 }, (_, number) => number);
      assert.deepEqual(
        seen,
        numbers.flatMap((number) => [`t ${number}`, `call ${number}`]),
      );
      for (const number of numbers) assert.ok(heard.indexOf(`before call ${number}`) < heard.indexOf(`answer ${number}`), String(number));
    });

    it('settles everything when one end is disposed of', async (t) => {
      const [here, there] = await open(t);
      const asked = new Promise<void>((resolve) => {
        there.serve(() => {
          resolve();
          return new Promise(() => {});
        });
      });
      const ends = [here, there].map(closing);
      let closings = 0;
      for (const wire of [here, there]) wire.onClosed(() => closings++);
      const pending = failsWith(here.call('never', {}), 'engine_lost', 'closed');
      await asked;
      there.dispose();
      there.dispose();
      await pending;
      assert.deepEqual(
        (await Promise.all(ends)).map(({ code, params }) => [code, params.reason]),
        [
          ['engine_lost', 'closed'],
          ['engine_lost', 'disposed'],
        ],
      );
      await failsWith(here.call('late', {}), 'engine_lost', 'closed');
      await failsWith(there.call('late', {}), 'engine_lost', 'disposed');
      await here.tell('late', {});
      here.dispose();
      assert.equal(closings, 2);
    });

    it('delivers what was handed over before the end', async (t) => {
      const [here, there] = await open(t);
      const seen: unknown[] = [];
      here.onTold(({ message }) => seen.push(message));
      const end = closing(here);
      for (let number = 0; number < 200; number++) await there.tell('t', number);
      there.dispose();
      await end;
      assert.equal(seen.length, 200);
    });
  });
}

describe('a wire in one process', () => {
  it('delivers tells synchronously and clones nothing', () => {
    const [here, there] = createWirePair();
    const message = {};
    const seen: unknown[] = [];
    there.onTold((told) => seen.push(told.message));
    void here.tell('t', message);
    assert.equal(seen[0], message);
  });

  it('lets no call overtake a tell that a listener makes', () => {
    const [here, there] = createWirePair();
    const seen: string[] = [];
    there.onTold(({ channel }) => {
      seen.push(channel);
      if (channel !== 'first') return;
      void here.tell('second', {});
      void here.call('third', {});
      assert.deepEqual(seen, ['first']);
    });
    there.serve(async (method) => void seen.push(method));
    void here.tell('first', {});
    assert.deepEqual(seen, ['first', 'second', 'third']);
  });
});

const frame = (text: string): string => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;

describe('a wire over a socket', () => {
  const faults: readonly { readonly what: string; readonly bytes: string; readonly reason: string }[] = [
    { what: 'garbage', bytes: 'garbage '.repeat(100), reason: 'bad_message' },
    { what: 'garbage with line breaks', bytes: '\r\n\r\n', reason: 'bad_message' },
    { what: 'a message of more than 256 MB', bytes: `Content-Length: ${256 * 1024 * 1024 + 1}\r\n\r\n{`, reason: 'too_large' },
    { what: 'a message that is not JSON', bytes: frame('{"jsonrpc":'), reason: 'bad_message' },
    { what: 'an empty message', bytes: frame(''), reason: 'bad_message' },
    { what: 'JSON that is no message', bytes: frame('null'), reason: 'bad_message' },
    { what: 'an unknown method', bytes: frame('{"jsonrpc":"2.0","method":"shout","params":{}}'), reason: 'bad_message' },
    { what: 'an incomplete call', bytes: frame('{"jsonrpc":"2.0","id":1,"method":"call","params":{}}'), reason: 'bad_message' },
    { what: 'a cancellation', bytes: frame('{"jsonrpc":"2.0","method":"$/cancelRequest","params":{}}'), reason: 'bad_message' },
  ];
  for (const { what, bytes, reason } of faults) {
    it(`closes after ${what}`, async (t) => {
      const [socket, raw] = await openSockets(t);
      const wire = createSocketWire(socket);
      const end = closing(wire);
      const pending = failsWith(wire.call('m', {}), 'engine_lost', reason);
      raw.resume().write(bytes);
      assert.deepEqual([(await end).code, (await end).params.reason], ['engine_lost', reason]);
      await pending;
      if (!raw.closed) await once(raw, 'close');
    });
  }

  it('closes when the connection is cut in the middle of a message', async (t) => {
    const [socket, raw] = await openSockets(t);
    const wire = createSocketWire(socket);
    const seen: unknown[] = [];
    wire.onTold(({ message }) => seen.push(message));
    const end = closing(wire);
    const pending = failsWith(wire.call('m', {}), 'engine_lost', 'closed');
    const whole = frame('{"jsonrpc":"2.0","method":"tell","params":{"channel":"t","message":"whole","later":1}}');
    await once(raw.resume(), 'data');
    raw.write(whole + whole.slice(0, -5), () => raw.destroy());
    assert.equal((await end).params.reason, 'closed');
    await pending;
    assert.deepEqual(seen, ['whole']);
  });

  it('reads messages that arrive in pieces', async (t) => {
    const [socket, raw] = await openSockets(t);
    const wire = createSocketWire(socket);
    const told = new Promise((resolve) => wire.onTold(resolve));
    for (const byte of Buffer.from(frame('{"jsonrpc":"2.0","method":"tell","params":{"channel":"t","message":"ü"}}'))) {
      raw.write(Uint8Array.of(byte));
      await setImmediate();
    }
    assert.deepEqual(await told, { channel: 't', message: 'ü' });
  });

  it('survives what is not JSON', async (t) => {
    const [here, there] = await openSocketWires(t);
    there.serve(async (method) => (method === 'bad' ? 1n : 'good'));
    await failsWith(here.call('m', 1n), 'invalid_message', 'not_json');
    await here.tell('t', 1n);
    await failsWith(here.call('bad', {}), 'internal');
    assert.equal(await here.call('m', {}), 'good');
  });

  it('reads an error of a newer version as internal', async (t) => {
    const [here, there] = await openSocketWires(t);
    there.serve(async () => {
      const error = new HostError('internal', { detail: 'new' });
      Object.assign(error, { code: 'code_of_the_future' });
      throw error;
    });
    assert.equal((await failsWith(here.call('m', {}), 'internal')).params.detail, 'new');
  });

  it('carries a large message', async (t) => {
    const [here, there] = await openSocketWires(t);
    there.serve(async (_, params) => params);
    const large = 'ä'.repeat(8 * 1024 * 1024);
    assert.ok((await here.call('m', large)) === large);
  });

  it('lets the sender wait for a reader that does not read', async (t) => {
    const [socket, raw] = await openSockets(t);
    const wire = createSocketWire(socket);
    // No system takes this much from a sender whose reader does not read.
    const message = 'x'.repeat(16 * 1024 * 1024);
    let isHandedOver = false;
    const handedOver = Promise.resolve(wire.tell('t', message)).then(() => (isHandedOver = true));
    await once(raw, 'readable');
    assert.equal(isHandedOver, false);
    raw.resume();
    await handedOver;
    // A sender that waits has no more than one message in memory.
    let most = 0;
    for (let number = 0; number < 20; number++) {
      const handed = wire.tell('t', message.slice(0, 1024 * 1024));
      await setImmediate();
      most = Math.max(most, socket.writableLength);
      await handed;
      assert.equal(socket.writableLength, 0);
    }
    assert.ok(most < 2 * 1024 * 1024, String(most));
  });

  it('lets a sender go on when the reader is gone', async (t) => {
    const [socket, raw] = await openSockets(t);
    const wire = createSocketWire(socket);
    const tells = Array.from({ length: 10 }, () => Promise.resolve(wire.tell('t', 'x'.repeat(1024 * 1024))));
    await once(raw, 'readable');
    raw.destroy();
    await Promise.all(tells);
    await failsWith(wire.call('m', {}), 'engine_lost', 'closed');
  });
});
