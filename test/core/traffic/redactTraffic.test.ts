import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { acpFrames } from '../../../src/core/backends/acp/acpFrames.js';
import { agentCliFrames } from '../../../src/core/backends/agentCli/agentCliFrames.js';
import { piFrames } from '../../../src/core/backends/pi/piFrames.js';
import { systemClock } from '../../../src/core/base/clock.js';
import { Redactor } from '../../../src/core/base/redact.js';
import { AgentTraffic } from '../../../src/core/traffic/agentTraffic.js';
import type { TrafficEntry } from '../../../src/core/traffic/trafficEntry.js';

const chunk = (text: string, sessionUpdate = 'agent_message_chunk'): TrafficEntry => ({
  at: 1,
  direction: 'received',
  kind: 'message',
  message: {
    jsonrpc: '2.0',
    method: 'session/update',
    params: { sessionId: 's', update: { sessionUpdate, content: { type: 'text', text } } },
  },
  bytes: 100,
});
const stderr = (text: string): TrafficEntry => ({ at: 1, direction: 'received', kind: 'stderr', text, bytes: text.length });
const trafficOf = (): AgentTraffic => new AgentTraffic({ describer: acpFrames, redactor: new Redactor(), clock: systemClock });

const request = (id: number, method: string): TrafficEntry => ({
  at: 1,
  direction: 'sent',
  kind: 'message',
  message: { jsonrpc: '2.0', id, method, params: { sessionId: 's' } },
  bytes: 50,
});
const prompt = (id: number): TrafficEntry => request(id, 'session/prompt');
const response = (id: number): TrafficEntry => ({
  at: 1,
  direction: 'received',
  kind: 'message',
  message: { jsonrpc: '2.0', id, result: {} },
  bytes: 50,
});

function textOf(entry: TrafficEntry): string {
  if (entry.kind !== 'message') return entry.kind === 'process' ? '' : `${entry.text}\n`;
  const [, text = '""'] = /"text":("(?:[^"\\]|\\.)*")/.exec(JSON.stringify(entry.message)) ?? [];
  return String(JSON.parse(text));
}
const secret = `sk-ant-${'a1B2c3D4'.repeat(5)}`;
const key = [
  '-----BEGIN PRIVATE KEY-----',
  ...Array.from({ length: 5 }, () => 'MIIEowIBAAKCAQEA0123456789abcdef'),
  '-----END PRIVATE KEY-----',
];

/** Records a text in pieces, with frames of another stream between them. */
function record(traffic: AgentTraffic, text: string, size: number): void {
  for (let start = 0; start < text.length; start += size) {
    traffic.record(chunk(text.slice(start, start + size)));
    traffic.record(chunk('thinking ', 'agent_thought_chunk'));
  }
}
const answers = (entries: readonly TrafficEntry[]): string =>
  entries
    .filter((entry) => JSON.stringify(entry).includes('agent_message_chunk'))
    .map(textOf)
    .join('');

describe('a secret that spans several frames', () => {
  it('is redacted when the traffic is read, however it is split, and the rest is unchanged', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), (size) => {
        const traffic = trafficOf();
        record(traffic, `The key is ${secret} and that is all.`, size);
        assert.equal(answers(traffic.read().map(({ entry }) => entry)), 'The key is [redacted] and that is all.');
      }),
    );
  });

  it('is left out of a later read if its beginning was already read', () => {
    const traffic = trafficOf();
    record(traffic, `The key is ${secret.slice(0, 20)}`, 5);
    const last = traffic.read().at(-1)?.seq ?? 0;
    record(traffic, `${secret.slice(20)} and that is all.`, 5);
    assert.equal(answers(traffic.read({ after: last }).map(({ entry }) => entry)), ' and that is all.');
  });

  it('is never passed to a listener, which receives the rest, perhaps a frame later', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), (size) => {
        const traffic = trafficOf();
        const told: TrafficEntry[] = [];
        const listening = traffic.onEntry((entry) => told.push(entry));
        record(traffic, `The key is ${secret} and that is all. `, size);
        listening.dispose();
        assert.equal(answers(told).trim(), 'The key is [redacted] and that is all.');
      }),
    );
  });

  it('is redacted at the end of a turn, however it is split, and everything else is passed on by then', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 0, max: secret.length }),
        fc.constantFrom('', ' and more', '.'),
        (sizes, chars, after) => {
          const told: TrafficEntry[] = [];
          const traffic = trafficOf();
          traffic.onEntry((entry) => told.push(entry));
          traffic.record(prompt(1));
          let text = `The key is ${secret.slice(0, chars)}${after}`;
          for (let index = 0; text !== ''; index++) {
            const size = sizes[index % sizes.length] ?? 1;
            traffic.record(chunk(text.slice(0, size)));
            traffic.record(chunk('thinking ', 'agent_thought_chunk'));
            // Another request of the session does not end the turn.
            if (index === 1) for (const entry of [request(7, 'session/set_mode'), response(7)]) traffic.record(entry);
            text = text.slice(size);
          }
          traffic.record(response(1));
          const whole = new Redactor().text(`The key is ${secret.slice(0, chars)}${after}`);
          assert.equal(answers(told), whole);
          assert.deepEqual(told.at(-1), response(1));
        },
      ),
      { numRuns: 300 },
    );
  });

  const otherProtocols = [
    {
      name: 'pi',
      describer: piFrames,
      sent: { type: 'prompt', id: 'p1', message: 'go' },
      piece: (delta: string) => ({ type: 'message_update', assistantMessageEvent: { type: 'text_delta', delta } }),
      last: { type: 'message_end', message: { role: 'assistant', content: [] } },
    },
    {
      name: 'agent-cli',
      describer: agentCliFrames,
      sent: { request_id: 'p1', input: { Message: 'go' } },
      piece: (Stream: string) => ({ request_id: 'p1', response: { Stream } }),
      last: { request_id: 'p1', response: { StreamComplete: { interrupted: false, token_usage: null } }, error: null },
    },
  ];
  for (const { name, describer, sent, piece, last } of otherProtocols)
    it(`is redacted at the end of a text of ${name}, while one that continues on stderr is held back`, () => {
      const traffic = new AgentTraffic({ describer, redactor: new Redactor(), clock: { now: () => 0 } });
      const told: TrafficEntry[] = [];
      traffic.onEntry((entry) => told.push(entry));
      const received = (message: unknown): TrafficEntry => ({ at: 0, direction: 'received', kind: 'message', message, bytes: 1 });
      traffic.record({ at: 0, direction: 'sent', kind: 'message', message: sent, bytes: 1 });
      const [begin = ''] = key;
      traffic.record(stderr(begin));
      for (const text of ['The key is ', secret.slice(0, 9), secret.slice(9)]) traffic.record(received(piece(text)));
      assert.doesNotMatch(JSON.stringify(told), /redacted/);
      traffic.record(received(last));
      assert.match(JSON.stringify(told), /The key is .*\[redacted\]/);
      assert.ok(!JSON.stringify(told).includes(secret.slice(0, 9)));
      assert.ok(!JSON.stringify(told).includes(begin));
      assert.deepEqual(told.at(-1), received(last));
    });

  it('is held back until the process ends, and then redacted', () => {
    const told: TrafficEntry[] = [];
    const traffic = trafficOf();
    traffic.onEntry((entry) => told.push(entry));
    traffic.record(chunk(`The key is ${secret}`));
    assert.equal(answers(told), 'The key is ');
    traffic.end(undefined);
    assert.equal(answers(told), 'The key is [redacted]');
  });

  it('is redacted completely if it is a private key on stderr', () => {
    const traffic = trafficOf();
    const told: TrafficEntry[] = [];
    const listening = traffic.onEntry((entry) => told.push(entry));
    for (const line of ['loading', ...key, 'loaded']) traffic.record(stderr(line));
    listening.dispose();
    for (const entries of [told, traffic.read().map(({ entry }) => entry)]) {
      const text = entries.map(textOf).join('');
      assert.match(text, /^loading\n\s*\[redacted\]\s*loaded\n$/);
    }
  });
});
