import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { HostError } from '../../../src/core/base/errors.js';
import { nullLogger } from '../../../src/core/base/logger.js';
import { NdjsonChannel, type NdjsonChannelOptions } from '../../../src/core/transport/ndjsonChannel.js';
import type { TrafficEntry } from '../../../src/core/traffic/trafficEntry.js';
import { receive, send } from '../process/launch.js';

function channelOver(options: NdjsonChannelOptions = {}): { channel: NdjsonChannel; fromAgent: PassThrough; toAgent: PassThrough } {
  const fromAgent = new PassThrough();
  const toAgent = new PassThrough();
  return { channel: new NdjsonChannel(fromAgent, toAgent, options), fromAgent, toAgent };
}

test('lines on stdout that are not JSON are skipped, counted and logged, and never answered', async () => {
  const warnings: string[] = [];
  const { channel, fromAgent, toAgent } = channelOver({ log: { ...nullLogger, warn: (message) => warnings.push(message) } });
  const received = receive(channel);
  fromAgent.end('Welcome to agent 1.0!\n   \n\n{"a":1}\nDEBUG {not json}\n\u0000\u0001\n{"b":2}\n{"c":');
  assert.equal(await received.ended, undefined);
  assert.deepEqual(received.values, [{ a: 1 }, { b: 2 }]);
  assert.equal(channel.noiseLines, 4);
  assert.equal(warnings.length, 4);
  assert.equal(toAgent.readableLength, 0);
});

test('a last message without a line ending is delivered', async () => {
  const { channel, fromAgent } = channelOver();
  const received = receive(channel);
  fromAgent.end('{"a":1}\n{"b":2}');
  await received.ended;
  assert.deepEqual(received.values, [{ a: 1 }, { b: 2 }]);
});

test('a message with invalid UTF-8 is delivered with replacement characters', async () => {
  const { channel, fromAgent } = channelOver();
  const received = receive(channel);
  fromAgent.end(Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xfe, 0xc3]), Buffer.from('"}\n{"b":2}\n')]));
  await received.ended;
  assert.deepEqual(received.values, [{ a: '\uFFFD\uFFFD\uFFFD' }, { b: 2 }]);
});

test('CRLF and a byte order mark are not part of the messages', async () => {
  const { channel, fromAgent } = channelOver();
  const received = receive(channel);
  fromAgent.end('\uFEFF{"a":1}\r\n{"b":2}\r\n');
  await received.ended;
  assert.deepEqual(received.values, [{ a: 1 }, { b: 2 }]);
  assert.equal(channel.noiseLines, 0);
});

test('a line of 40 MiB is read', async () => {
  const { channel, fromAgent } = channelOver();
  const received = receive(channel);
  const text = 'x'.repeat(40 * 1024 * 1024);
  const bytes = Buffer.from(`{"text":"${text}"}\n`);
  for (let at = 0; at < bytes.length; at += 65536)
    if (!fromAgent.write(bytes.subarray(at, at + 65536))) await new Promise((resolve) => fromAgent.once('drain', resolve));
  assert.equal(((await received.at(0)) as { text: string }).text.length, text.length);
});

test('an endless line ends the channel with line_too_long', async () => {
  const { channel, fromAgent } = channelOver({ lineLimits: { lineBytes: 100, giveUpBytes: 1000 } });
  const received = receive(channel);
  fromAgent.write('{"a":1}\n');
  fromAgent.write(Buffer.alloc(2000, 0x78));
  const error = await received.ended;
  assert.equal(error?.code, 'line_too_long');
  assert.deepEqual(received.values, [{ a: 1 }]);
});

test('messages and the end that arrive before the listener are delivered to it', async () => {
  const { channel, fromAgent } = channelOver();
  const closed = new Promise((resolve) => fromAgent.once('close', resolve));
  fromAgent.end('{"a":1}\n');
  // As Node does with the pipes of a process that exited.
  fromAgent.resume();
  await closed;
  const received = receive(channel);
  assert.equal(await received.ended, undefined);
  assert.deepEqual(received.values, [{ a: 1 }]);
});

test('after a pause in the middle of a chunk, the other messages and the end wait', async () => {
  const { channel, fromAgent } = channelOver();
  const values: unknown[] = [];
  let ended = false;
  const done = new Promise<void>((resolve) => {
    channel.listen({
      onValue: (value) => {
        values.push(value);
        channel.pause();
      },
      onLineTooLong: () => {},
      onEnd: () => {
        ended = true;
        resolve();
      },
    });
  });
  fromAgent.end('1\n2\n3\n');
  for (let expected = 1; expected <= 3; expected++) {
    while (values.length < expected) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(values.length, expected);
    assert.equal(ended, false);
    channel.resume();
  }
  await done;
  assert.deepEqual(values, [1, 2, 3]);
});

test('a message that cannot be written as JSON is refused with invalid_message, and none of it is sent', async () => {
  const { channel, toAgent } = channelOver();
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  for (const message of [cycle, { big: 1n }]) {
    await assert.rejects(send(channel, message), (error) => error instanceof HostError && error.code === 'invalid_message');
  }
  await send(channel, { fine: 'line\nbreak' });
  assert.equal(toAgent.read()?.toString(), '{"fine":"line\\nbreak"}\n');
});

test('traffic in both directions and noise is reported to a listener until it is disposed', async () => {
  const { channel, fromAgent } = channelOver({ clock: { now: () => 7 } });
  const traffic: TrafficEntry[] = [];
  const listening = channel.onTraffic((entry) => traffic.push(entry));
  const received = receive(channel);
  fromAgent.write('{"a":1}\nnoise\n');
  await received.at(0);
  await send(channel, { b: 2 });
  listening.dispose();
  await send(channel, { c: 3 });
  assert.deepEqual(traffic, [
    { at: 7, direction: 'received', kind: 'message', message: { a: 1 }, bytes: 7 },
    { at: 7, direction: 'received', kind: 'noise', text: 'noise', bytes: 5 },
    { at: 7, direction: 'sent', kind: 'message', message: { b: 2 }, bytes: 7 },
  ]);
});
