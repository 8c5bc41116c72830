/** Servers that do not read, and servers whose output the host cannot accept yet. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { ConnectAgent, ConnectServer, ServerConnectOptions } from '../../src/core/backends/agentBackend.js';
import { connectAgentCli } from '../../src/core/backends/agentCli/agentCliBackend.js';
import { connectAgentService } from '../../src/core/backends/agentService/agentServiceBackend.js';
import { accept, serveWire } from '../core/transport/wireServer.js';
import { within } from '../real/deadline.js';
import { serverAt, startStandIn } from '../standIns/startStandIn.js';
import { connectSeam, eventsIn, type OpenSession, type Seam, type Told } from './seam.js';

async function open(
  t: TestContext,
  connect: ConnectServer,
  url: string,
  o: Partial<ServerConnectOptions> = {},
): Promise<Seam & OpenSession> {
  const dial: ConnectAgent = (options) => connect({ ...options, ...serverAt(url), ...o });
  const seam = await connectSeam(t, dial, { agent: { label: 'Stand-in', command: '', args: [], env: {} } });
  return { ...seam, ...(await seam.open()) };
}

for (const [name, standIn, connect] of [
  ['agent-cli', 'agentCli', connectAgentCli],
  ['agent-service', 'agentService', connectAgentService],
] as const) {
  test(`${name}: while the server does not read, the turn reports that, and it reports when the server reads again`, async (t) => {
    let socket: { pause(): unknown; resume(): unknown } | undefined;
    const answer = (frame: { readonly request_id: unknown; readonly cmd?: string; readonly input?: unknown }): object => {
      const { request_id, cmd, input } = frame;
      if (cmd !== undefined) return cmd === 'list_model' ? { request_id, models: ['m'] } : { request_id, msg: 'read' };
      return { request_id, response: { Text: input === 'GetCommands' ? '{"commands":[]}' : 'read' }, error: null };
    };
    const { url } = await serveWire(t, {
      answer: (...request) => {
        socket = request[1];
        const peer = accept(...request);
        peer?.on('text', (text: string) => peer.sendText(JSON.stringify(answer(JSON.parse(text)))));
        return peer;
      },
    });
    const seam = await open(t, connect, url.href);
    socket?.pause();
    const turn = seam.prompt('x'.repeat(16_000_000));
    const waitIn = (told: Told): string | undefined => {
      const [event] = eventsIn([told]);
      return event?.type === 'wait' ? (event.wait?.kind ?? 'over') : undefined;
    };
    await seam.told.until('stall', (told) => waitIn(told) === 'not_reading');
    socket?.resume();
    assert.equal((await within(turn, 'end')).stopReason, 'end_turn');
    await seam.told.until('relief', (told) => waitIn(told) === 'over');
  });

  test(`${name}: while the host has no room for more output, it stops reading from the server`, async (t) => {
    const { url } = await startStandIn(t, standIn);
    const rooms: (() => void)[] = [];
    const seam = await open(t, connect, url, { whenDrained: () => new Promise((resolve) => rooms.push(resolve)) });
    const before = seam.backend.stats.pauses;
    const turn = seam.prompt('a few words');
    const drain = setInterval(() => rooms.splice(0).forEach((give) => give()), 5);
    t.after(() => clearInterval(drain));
    assert.equal((await within(turn, 'end')).stopReason, 'end_turn');
    assert.equal(seam.words(), 'a few words');
    assert.ok(seam.backend.stats.pauses > before);
  });
}
