/**
 * Each protocol describes its frames, and everything else uses the descriptions. Tested with recorded ACP frames, and with a protocol of
 * text lines without IDs.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it, test } from 'node:test';
import * as z from 'zod/mini';
import { acpFrames } from '../../../src/core/backends/acp/acpFrames.js';
import { frameDescriberOf } from '../../../src/core/backends/protocols.js';
import { systemClock } from '../../../src/core/base/clock.js';
import { Redactor } from '../../../src/core/base/redact.js';
import { AgentTraffic } from '../../../src/core/traffic/agentTraffic.js';
import { type FrameDescriber, strippedText } from '../../../src/core/traffic/frameDescriber.js';
import { RequestLog, type RequestRecord } from '../../../src/core/traffic/requestLog.js';
import { formatTrace, parseTrace, processesOf, type TraceLine, TracePlayer } from '../../../src/core/traffic/trace.js';
import type { TrafficEntry } from '../../../src/core/traffic/trafficEntry.js';
import { toRow } from '../../../src/extension/traffic/trafficLog.js';
import { deviationText } from '../../../src/text/replayText.js';

const fixtures = new URL('../../fixtures/agentao-0.5.17/', import.meta.url);

/** "PROMPT hello" is answered by "DONE" or "FAILED why" after any number of "TEXT hi"; "STOP" requests to end it early. */
const lineFrames: FrameDescriber = {
  describe(frame, direction) {
    const [, word = '', payload] = /^([A-Z]+)(?: (.*))?$/s.exec(String(frame)) ?? [];
    if (direction === 'sent') {
      if (word === 'PROMPT') return { kind: 'request', method: word, payload };
      return word === 'STOP' ? { kind: 'notification', method: word, cancels: { method: 'PROMPT' } } : { kind: 'other', payload: frame };
    }
    if (word === 'TEXT') return { kind: 'notification', method: word, payload };
    if (word === 'DONE') return { kind: 'response' };
    return word === 'FAILED' ? { kind: 'response', error: { message: payload ?? '' }, payload } : { kind: 'other', payload: frame };
  },
  stripContent: (frame) => String(frame).replace(/ .*$/s, (text) => ` ${strippedText(text.slice(1))}`),
  parse: (line) => (line === '' ? undefined : line),
  format: String,
};

type FrameLine = Extract<TraceLine, { frame: unknown }>;

/** A bare recording is a trace too. */
function readFrames(name: string): readonly FrameLine[] {
  return parseTrace(readFileSync(new URL(name, fixtures), 'utf8')).lines.filter((one): one is FrameLine => 'frame' in one);
}

function toEntry({ t, dir, frame }: FrameLine): TrafficEntry {
  const bytes = JSON.stringify(frame).length;
  return { at: t, direction: dir === 'out' ? 'sent' : 'received', kind: 'message', message: frame, bytes };
}

const frameMembers = z.object({
  id: z.optional(z.union([z.string(), z.number()])),
  method: z.optional(z.string()),
  params: z.optional(z.unknown()),
  error: z.optional(z.unknown()),
});
const sessionIn = z.object({ sessionId: z.string() });

const line = (at: number, dir: 'in' | 'out', frame: string): TrafficEntry => toEntry({ t: at, dir, frame });
const conversation: readonly TrafficEntry[] = [
  { at: 0, direction: 'received', kind: 'process', event: 'started', bytes: 0 },
  line(1, 'out', 'PROMPT hello token-of-mine'),
  line(2, 'out', 'PROMPT and then'),
  line(3, 'in', 'TEXT hi'),
  line(4, 'out', 'STOP'),
  line(5, 'in', 'DONE'),
  line(9, 'in', 'FAILED no model'),
];

describe('the recorded traffic of agentao', () => {
  for (const name of readdirSync(fixtures).filter((file) => file.endsWith('.ndjson'))) {
    it(`is described frame by frame: ${name}`, () => {
      const log = new RequestLog(acpFrames);
      const requests = new Map<string, RequestRecord>();
      const answered = new Set<string>();
      for (const line of readFrames(name)) {
        const { id, method, params, error } = frameMembers.parse(line.frame);
        const entry = toEntry(line);
        const described = acpFrames.describe(line.frame, entry.direction);
        const record = log.note(entry);
        assert.deepEqual([described.method, described.id], [method, id]);
        if (method !== undefined) {
          assert.equal(described.kind, id === undefined ? 'notification' : 'request');
          assert.equal(described.session, sessionIn.safeParse(params).data?.sessionId);
          if (id !== undefined) requests.set(`${line.dir} ${id}`, record ?? assert.fail(`${method} has no record`));
          continue;
        }
        assert.deepEqual([described.kind, described.error !== undefined], ['response', error !== undefined]);
        const asked = `${line.dir === 'in' ? 'out' : 'in'} ${id}`;
        // agentao reports a malformed reply under the id of its own request, which the host never made.
        assert.ok(requests.has(asked) || name === 'malformed-reply.ndjson');
        assert.equal(record, requests.get(asked));
        answered.add(asked);
      }
      for (const [asked, { outcome, error }] of requests) {
        assert.equal(outcome !== 'open', answered.has(asked), asked);
        assert.equal(outcome === 'error', error !== undefined, asked);
      }
    });
  }

  it('contains cancel notifications, and each is matched to the turn that it stops', () => {
    for (const name of ['cancel-stream-and-shell.ndjson', 'cancel-permission-pending.ndjson']) {
      const log = new RequestLog(acpFrames);
      const found = readFrames(name).flatMap((line) => {
        const record = log.note(toEntry(line));
        return frameMembers.parse(line.frame).method === 'session/cancel' ? [record] : [];
      });
      assert.ok(found.length > 0);
      for (const record of found) assert.deepEqual([record?.method, record?.outcome], ['session/prompt', 'ok'], 'its response was awaited');
      assert.equal(log.counters.requestsAbandoned, 0);
    }
  });

  it('is read as ACP, the default for a trace without a protocol; an unknown protocol has no describer', () => {
    assert.equal(frameDescriberOf(undefined), acpFrames);
    assert.equal(frameDescriberOf('acp'), acpFrames);
    assert.equal(frameDescriberOf('constructor'), undefined);
  });
});

describe('a protocol of text lines', () => {
  it('has its responses matched to requests in order', () => {
    const log = new RequestLog(lineFrames);
    const noted = conversation.map((entry) => log.note(entry)?.number);
    assert.deepEqual(noted, [undefined, 1, 2, undefined, 1, 1, 2]);
    assert.deepEqual(
      log.recent.map(({ id, method, outcome, durationMs, error }) => [id, method, outcome, durationMs, error?.message]),
      [
        [undefined, 'PROMPT', 'ok', 4, undefined],
        [undefined, 'PROMPT', 'error', 7, 'no model'],
      ],
    );
    const { requestsSent, notificationsSent, notificationsReceived, errorsReceived } = log.counters;
    assert.deepEqual([requestsSent, notificationsSent, notificationsReceived, errorsReceived], [2, 1, 1, 1]);
  });

  it('is recorded, redacted and shown like any other protocol', () => {
    const redactor = new Redactor();
    redactor.addSecret('token-of-mine');
    const traffic = new AgentTraffic({ describer: lineFrames, redactor, clock: systemClock });
    for (const entry of conversation) traffic.record(entry);
    const items = traffic.read();
    assert.ok(!JSON.stringify(items).includes('token-of-mine'));
    const rows = items.map((item) => toRow(item, item.seq, 'parrot'));
    assert.deepEqual(
      rows.map(({ kind, method, outcome }) => [kind, method, outcome]),
      [
        ['process', undefined, undefined],
        ['request', 'PROMPT', 'ok'],
        ['request', 'PROMPT', 'error'],
        ['notification', 'TEXT', undefined],
        ['notification', 'STOP', undefined],
        ['response', 'PROMPT', 'ok'],
        ['response', 'PROMPT', 'error'],
      ],
    );
    assert.deepEqual([rows[3]?.text, rows[6]?.text], ['hi', 'no model']);
    assert.equal(traffic.counters.requestsSent, 2);
    traffic.dispose();
  });

  it('is exported to a trace and replayed in order', () => {
    const entries = conversation.map((entry, index) => ({ seq: index + 1, entry }));
    const trace = parseTrace(formatTrace({ protocol: 'lines', host: '0', agent: { id: 'parrot', label: 'Parrot' } }, entries));
    assert.equal(trace.header?.protocol, 'lines');
    const [written, told]: [string[], string[]] = [[], []];
    const player = new TracePlayer(processesOf(trace)[0] ?? [], lineFrames, {
      write: (text) => written.push(text),
      writeStderr: () => {},
      tell: (deviation) => told.push(deviationText(deviation)),
      exit: () => {},
    });
    player.start();
    player.receive('PROMPT something else');
    player.receive('HELLO');
    player.receive('PROMPT the second');
    assert.deepEqual(written, ['TEXT hi']);
    assert.equal(player.end(), false);
    player.receive('STOP');
    assert.deepEqual(written, ['TEXT hi', 'DONE', 'FAILED no model']);
    assert.equal(player.end(), true);
    player.receive('PROMPT a third');
    assert.deepEqual(told, [
      'The client sent an invalid line: HELLO',
      'The client left before the end of the trace, which continues with the notification STOP (line 5 of 7 of this process)',
      'The client sent the request PROMPT, which the trace does not contain here',
    ]);
  });
});

test('stripContent replaces a text with its length', () => {
  assert.equal(lineFrames.stripContent('PROMPT hello'), 'PROMPT [5 characters]');
  assert.equal(lineFrames.stripContent('DONE'), 'DONE');
});
