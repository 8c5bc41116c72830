/** Tests the stand-ins over a bare socket, so that our own client library does not judge itself. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { type Collected, collect } from '../backends/seam.js';
import { startStandIn } from './startStandIn.js';

interface RawFrame {
  readonly opcode: number;
  readonly payload: Buffer;
}

interface RawClient {
  readonly frames: Collected<RawFrame>;
  readonly closed: Promise<void>;
  send(opcode: number, payload: string | Buffer, o?: { readonly isFinal?: boolean; readonly isMasked?: boolean }): void;
  text(): Promise<unknown>;
}

async function rawClient(t: TestContext, url: string): Promise<RawClient> {
  const { port } = new URL(url);
  const socket: Socket = connect(Number(port), '127.0.0.1');
  t.after(() => socket.destroy());
  const frames = collect<RawFrame>();
  let buffer = Buffer.alloc(0);
  let isUpgraded = false;
  const upgraded = new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      buffer = Buffer.concat([buffer, chunk]);
      if (!isUpgraded) {
        const end = buffer.indexOf('\r\n\r\n');
        if (end < 0) return;
        assert.match(buffer.toString('latin1', 0, end), /^HTTP\/1\.1 101 [\s\S]*Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=/i);
        buffer = buffer.subarray(end + 4);
        isUpgraded = true;
        resolve();
      }
      for (let frame = takeFrame(buffer); frame !== undefined; frame = takeFrame(buffer)) {
        buffer = buffer.subarray(frame.bytes);
        frames.add(frame);
      }
    });
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  // The key, and so the answer above, are the example of RFC 6455.
  const head = ['GET /ws HTTP/1.1', `Host: 127.0.0.1:${port}`, 'Upgrade: websocket', 'Connection: Upgrade'];
  socket.write([...head, 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13', '', ''].join('\r\n'));
  await upgraded;
  let read = 0;
  return {
    frames,
    closed,
    send(opcode, payload, { isFinal = true, isMasked = true } = {}) {
      const bytes = Buffer.from(payload);
      assert.ok(bytes.length < 126);
      const mask = isMasked ? randomBytes(4) : Buffer.alloc(0);
      const body = isMasked ? bytes.map((byte, index) => byte ^ (mask[index % 4] ?? 0)) : bytes;
      socket.write(Buffer.concat([Buffer.from([(isFinal ? 0x80 : 0) | opcode, (isMasked ? 0x80 : 0) | bytes.length]), mask, body]));
    },
    async text() {
      const at = read;
      await frames.until('text', () => frames.all.filter(({ opcode }) => opcode === 1).length > at);
      read++;
      return JSON.parse(frames.all.filter(({ opcode }) => opcode === 1)[at]?.payload.toString('utf8') ?? '');
    },
  };
}

function takeFrame(buffer: Buffer): (RawFrame & { readonly bytes: number }) | undefined {
  const [first = 0, second = 0] = buffer;
  if (buffer.length < 2) return undefined;
  assert.ok(second < 128, 'a server does not mask');
  const [size, at] =
    second < 126 ? [second, 2] : second === 126 ? [buffer.length < 4 ? Infinity : buffer.readUInt16BE(2), 4] : [Infinity, 10];
  return buffer.length < at + size ? undefined : { opcode: first & 0x0f, payload: buffer.subarray(at, at + size), bytes: at + size };
}

const standIns = [
  ['agentCli', '{"request_id":"r1","input":"GetCommands"}', 'r1'],
  ['agentService', '{"request_id":7,"cmd":"list_model"}', 7],
] as const;

for (const [name, question, id] of standIns) {
  describe(name, () => {
    const start = async (t: TestContext): Promise<RawClient> => rawClient(t, (await startStandIn(t, name)).url);

    test('answers a message that arrives whole or in fragments, and a ping between the fragments', async (t) => {
      const client = await start(t);
      client.send(1, question);
      client.send(1, question.slice(0, 9), { isFinal: false });
      client.send(9, 'still there?');
      client.send(0, question.slice(9));
      for (let count = 0; count < 2; count++) {
        const answer = await client.text();
        assert.ok(typeof answer === 'object' && answer !== null && 'request_id' in answer);
        assert.equal(answer.request_id, id);
      }
      assert.deepEqual(
        client.frames.all.map(({ opcode }) => opcode),
        [1, 10, 1],
      );
      assert.equal(client.frames.all[1]?.payload.toString('utf8'), 'still there?');
    });

    test('answers a close frame with the same code, and closes a connection that sends an unmasked frame', async (t) => {
      const closing = await start(t);
      closing.send(8, Buffer.from([0x03, 0xe8]));
      assert.deepEqual((await closing.frames.until('close', () => true)).payload, Buffer.from([0x03, 0xe8]));
      await closing.closed;
      const unmasked = await start(t);
      unmasked.send(1, question, { isMasked: false });
      const { opcode, payload } = await unmasked.frames.until('close', () => true);
      assert.deepEqual([opcode, payload.readUInt16BE(0)], [8, 1002]);
      await unmasked.closed;
    });
  });
}
