/** JSON over a WebSocket: what arrives, what is refused, and how the end is reported. The peer has its own codec. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../src/core/base/clock.js';
import type { HostError } from '../../../src/core/base/errors.js';
import { nullLogger } from '../../../src/core/base/logger.js';
import { messageLimitBytes, type WebSocketChannel, type WebSocketChannelOptions } from '../../../src/core/transport/webSocketChannel.js';
import { openWebSocket } from '../../../src/core/transport/webSocketOpen.js';
import type { TrafficEntry } from '../../../src/core/traffic/trafficEntry.js';
import { type Collected, collect } from '../../backends/seam.js';
import type { WebSocketPeer } from '../../standIns/webSocketPeer.mjs';
import { serveWire, type WireServer } from './wireServer.js';

interface Line extends WireServer {
  readonly channel: WebSocketChannel;
  readonly peer: WebSocketPeer;
  readonly values: Collected<unknown>;
  readonly tooLong: Collected<string>;
  readonly ends: Collected<HostError | undefined>;
  readonly traffic: Collected<TrafficEntry>;
  send(message: object): Promise<HostError | undefined>;
}

async function line(t: TestContext, o: Partial<WebSocketChannelOptions> = {}): Promise<Line> {
  const server = await serveWire(t);
  const target = { url: server.url, pin: undefined, timeoutMs: 10_000, signal: new AbortController().signal, headers: {} };
  const channel = await openWebSocket(target, { log: nullLogger, clock: systemClock, ...o });
  t.after(() => channel.dispose());
  const [values, tooLong, ends, traffic] = [
    collect<unknown>(),
    collect<string>(),
    collect<HostError | undefined>(),
    collect<TrafficEntry>(),
  ];
  channel.onTraffic(traffic.add);
  const peer = await server.peers.until('connection', () => true);
  // A message that arrives before the listener is not lost.
  peer.sendText('{"first":true}');
  await new Promise((resolve) => setImmediate(resolve));
  channel.listen({ onValue: (value) => values.add(value), onLineTooLong: (head) => tooLong.add(head), onEnd: (error) => ends.add(error) });
  await values.until('first message', () => true);
  const send = (message: object): Promise<HostError | undefined> => new Promise((resolve) => channel.send(message, resolve));
  return { ...server, channel, peer, values, tooLong, ends, traffic, send };
}

const last = (values: Collected<unknown>): Promise<unknown> =>
  values.until('last message', (value) => JSON.stringify(value) === '{"last":true}');
const end = ({ ends }: Line): Promise<HostError | undefined> => ends.until('end', () => true);

test('messages arrive whole and in order, however they are split in transit', async (t) => {
  const { peer, values, texts, send } = await line(t);
  const odd = { text: 'a\u2028b \u{1f44b}\u{1f3fd} "quoted"\r\n' };
  peer.sendText(JSON.stringify(odd), { frames: 5 });
  await peer.sendSlowly(JSON.stringify({ slow: 'é'.repeat(200) }), 3);
  peer.sendText(JSON.stringify({ binary: 'ü' }), { isBinary: true });
  peer.sendText('{"last":true}');
  await last(values);
  assert.deepEqual(values.all, [{ first: true }, odd, { slow: 'é'.repeat(200) }, { binary: 'ü' }, { last: true }]);
  assert.equal(await send(odd), undefined);
  assert.deepEqual(JSON.parse(await texts.until('message', () => true)), odd);
});

test('text that is not JSON is noise, a message that is nested too deeply is dropped, and the connection stays open', async (t) => {
  const { peer, values, tooLong, channel, traffic } = await line(t);
  peer.sendText('hello?');
  peer.sendText(`${'['.repeat(5_000)}${']'.repeat(5_000)}`);
  peer.sendText('{"last":true}');
  await last(values);
  assert.deepEqual([channel.noiseLines, channel.firstNoise, tooLong.all.length, values.all.length], [1, 'hello?', 1, 2]);
  assert.deepEqual(
    traffic.all.map(({ kind, direction }) => `${direction} ${kind}`),
    ['received message', 'received noise', 'received message'],
  );
});

test('a message of 1 MiB passes in both directions', async (t) => {
  const { peer, values, texts, send } = await line(t);
  const big = { text: 'x'.repeat(1024 * 1024) };
  peer.sendText(JSON.stringify(big));
  await values.until('big message', (value) => typeof value === 'object' && value !== null && 'text' in value);
  assert.equal(await send(big), undefined);
  assert.equal((await texts.until('big message', () => true)).length, JSON.stringify(big).length);
});

test('over 32 MiB, an incoming message ends the connection with message_too_large, and an outgoing one is not sent', async (t) => {
  const one = await line(t);
  assert.equal((await one.send({ text: 'x'.repeat(messageLimitBytes) }))?.params.reason, 'message_size');
  assert.equal(await one.send({ small: true }), undefined);
  assert.equal(await one.texts.until('message', () => true), '{"small":true}');
  one.peer.announce(messageLimitBytes + 1);
  const error = await end(one);
  assert.deepEqual(
    [error?.code, error?.params.reason, error?.params['limitBytes']],
    ['agent_exited', 'message_too_large', messageLimitBytes],
  );
});

test('the end is reported once, with the close code and reason of the server or as an abnormal closure, and then nothing can be sent', async (t) => {
  const closing = await line(t);
  closing.peer.close(1011, 'out of memory');
  assert.deepEqual((await end(closing))?.params, { reason: 'connection_closed', closeCode: 1011, detail: 'out of memory' });
  assert.equal((await closing.send({ late: true }))?.code, 'agent_exited');
  const cut = await line(t);
  cut.peer.sendHalf('{"half":true}');
  cut.peer.destroy();
  assert.deepEqual((await end(cut))?.params, { reason: 'connection_closed', closeCode: 1006 });
  assert.deepEqual([cut.values.all.length, cut.ends.all.length], [1, 1]);
});

test('ending the channel closes the connection with code 1000', async (t) => {
  const one = await line(t);
  const gone = new Promise<unknown>((resolve) => one.peer.once('gone', resolve));
  one.channel.end();
  assert.deepEqual(await gone, { code: 1000, reason: '' });
  await end(one);
});

test('the channel ends even if the server does not confirm that the connection is closed', { timeout: 20_000 }, async (t) => {
  const one = await line(t, { closeMs: 20 });
  one.peer.isDeaf = true;
  one.channel.end();
  await end(one);
});

test('a silent server stays connected if it answers pings, and is lost if it does not', async (t) => {
  const alive = await line(t, { pingMs: 20 });
  alive.peer.isDeaf = true;
  const error = await end(alive);
  assert.deepEqual([error?.code, error?.params.reason], ['agent_exited', 'connection_silent']);
  const quiet = await line(t, { pingMs: 100 });
  quiet.channel.pause();
  let beats = 0;
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (++beats < 25) return;
      clearInterval(timer);
      resolve();
    }, 20);
  });
  quiet.channel.resume();
  quiet.peer.sendText('{"last":true}');
  await last(quiet.values);
  assert.deepEqual(quiet.ends.all, []);
});

test('no message is delivered while the channel is paused', async (t) => {
  const { peer, values, channel } = await line(t);
  channel.pause();
  peer.sendText('{"last":true}');
  // By the time another connection is open, a message in transit would have arrived.
  await line(t);
  assert.equal(values.all.length, 1);
  channel.resume();
  await last(values);
});
