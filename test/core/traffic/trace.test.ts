import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { acpFrames } from '../../../src/core/backends/acp/acpFrames.js';
import { HostError } from '../../../src/core/base/errors.js';
import { formatTrace, parseTrace, processesOf, type TracedEntry, type TraceLine, TracePlayer } from '../../../src/core/traffic/trace.js';
import { deviationText } from '../../../src/text/replayText.js';
import { errorCause } from '../../../src/text/errorCause.js';

const about = { host: '0.1.0', agent: { id: 'a', label: 'A', version: '1' } };

describe('a trace file', () => {
  const entries: TracedEntry[] = [
    { seq: 1, entry: { at: 1000, direction: 'received', kind: 'process', event: 'started', bytes: 0 } },
    { seq: 2, entry: { at: 1005, direction: 'sent', kind: 'message', message: { id: 1, method: 'initialize' }, bytes: 9 } },
    { seq: 3, entry: { at: 1010, direction: 'received', kind: 'noise', text: 'hello\n"', bytes: 6 } },
    { seq: 9, entry: { at: 1020, direction: 'received', kind: 'message', message: { id: 1, result: {} }, bytes: 9, cut: true } },
    { seq: 10, entry: { at: 1021, direction: 'received', kind: 'stderr', text: 'oh', bytes: 2 } },
    {
      seq: 11,
      entry: {
        at: 1030,
        direction: 'received',
        kind: 'process',
        event: 'ended',
        exit: { code: 3, signal: null, requested: false },
        bytes: 0,
      },
    },
  ];

  it('is parsed as it was written', () => {
    const trace = parseTrace(formatTrace(about, entries));
    assert.deepEqual(trace.header, { trace: 'acp-host', version: 1, at: new Date(1000).toISOString(), ...about });
    assert.deepEqual(trace.lines, [
      { t: 0, process: 'started' },
      { t: 5, dir: 'out', frame: { id: 1, method: 'initialize' } },
      { t: 10, dir: 'in', noise: 'hello\n"' },
      { t: 20, gap: 5 },
      { t: 20, dir: 'in', frame: { id: 1, result: {} }, cut: true },
      { t: 21, dir: 'in', stderr: 'oh' },
      { t: 30, process: 'ended', code: 3, signal: null, requested: false },
    ]);
  });

  it('can contain several processes, and one without messages is ignored', () => {
    const [first, second] = [entries.slice(0, 2), entries.slice(0, 5)];
    const trace = parseTrace(
      formatTrace(
        about,
        [...first, entries[0], ...second].filter((one) => one !== undefined),
      ),
    );
    assert.deepEqual(
      processesOf(trace).map((lines) => lines.filter((line) => 'frame' in line).length),
      [1, 2],
    );
  });

  for (const [what, text, words] of [
    ['text that is not JSON', 'hello', /Line 1 is not JSON/],
    ['another file of JSON lines', '{"t":1,"dir":"out","frame":{}}\n{"a":1}\n', /Line 2 is not a line of a trace/],
    ['an empty file', '\n', /no trace/],
    ['a newer version', `${JSON.stringify({ trace: 'acp-host', version: 2, at: '', ...about })}\n`, /version 2/],
  ] as const) {
    it(`refuses ${what} with an error message`, () => {
      assert.throws(
        () => parseTrace(text),
        (error) => error instanceof HostError && error.code === 'usage' && words.test(errorCause(error.toData(), 'The agent')),
      );
    });
  }
});

interface Played {
  readonly player: TracePlayer;
  readonly written: unknown[];
  readonly told: string[];
  readonly exits: number[];
}

function play(steps: readonly TraceLine[]): Played {
  const [written, told, exits]: [unknown[], string[], number[]] = [[], [], []];
  const player = new TracePlayer(steps, acpFrames, {
    write: (line) => written.push(JSON.parse(line)),
    writeStderr: (line) => told.push(`stderr: ${line}`),
    tell: (deviation) => told.push(deviationText(deviation)),
    exit: (code) => exits.push(code),
  });
  player.start();
  return { player, written, told, exits };
}

const out = (frame: Record<string, unknown>): TraceLine => ({ t: 0, dir: 'out', frame });
const into = (frame: Record<string, unknown>): TraceLine => ({ t: 0, dir: 'in', frame });
const say = ({ player }: Played, message: object): void => player.receive(JSON.stringify(message));

describe('a trace that is replayed as an agent', () => {
  it('responds with the IDs of its client, and waits for the responses to its own requests', () => {
    const played = play([
      out({ id: 1, method: 'prompt' }),
      into({ id: 'a1', method: 'permit', params: {} }),
      out({ id: 'a1', result: {} }),
      into({ method: 'update' }),
      into({ id: 1, result: { done: true } }),
    ]);
    say(played, { id: 'mine', method: 'prompt' });
    assert.deepEqual(played.written, [{ id: 'a1', method: 'permit', params: {} }]);
    assert.equal(played.player.end(), false);
    assert.match(played.told.at(-1) ?? '', /continues with the response to the agent's request a1/);
    say(played, { id: 'a1', result: { ok: true } });
    assert.deepEqual(played.written.slice(1), [{ method: 'update' }, { id: 'mine', result: { done: true } }]);
    assert.equal(played.player.end(), true);
  });

  it('defers a request that arrives too early', () => {
    const played = play([
      out({ id: 1, method: 'one' }),
      into({ id: 1, result: 1 }),
      out({ id: 2, method: 'two' }),
      into({ id: 2, result: 2 }),
    ]);
    say(played, { id: 5, method: 'two' });
    assert.deepEqual(played.written, []);
    say(played, { id: 6, method: 'one' });
    assert.deepEqual(played.written, [
      { id: 6, result: 1 },
      { id: 5, result: 2 },
    ]);
    assert.match(played.told[0] ?? '', /the request two, but the trace continues with the request one: deferred/);
  });

  it('responds to a request that it does not contain with an error, and reports it', () => {
    const played = play([out({ id: 1, method: 'one' }), into({ id: 1, result: 1 })]);
    say(played, { id: 1, method: 'other' });
    say(played, { id: 2, method: 'one' });
    say(played, { id: 3, method: 'one' });
    assert.deepEqual(
      played.written.map((message) => Object.keys(Object(message)).at(-1)),
      ['error', 'result', 'error'],
    );
    assert.deepEqual(
      played.told.map((words) => /does not contain here/.test(words)),
      [true, true],
    );
  });

  it('reports what is missing, writes to stderr, and exits as the recorded agent did', () => {
    const played = play([
      { t: 0, dir: 'in', stderr: 'hm' },
      { t: 0, gap: 3 },
      into({ id: 9, result: 1 }),
      { t: 1, process: 'ended', code: 7, signal: null, requested: false },
    ]);
    assert.deepEqual(played.told, [
      'stderr: hm',
      '3 messages are missing from the trace here',
      'The trace responds to request 9, which it does not contain: skipped',
    ]);
    assert.deepEqual(played.exits, [7]);
  });

  it('reports an invalid line or an unexpected notification, and does not respond', () => {
    const played = play([out({ id: 1, method: 'one' })]);
    played.player.receive('{');
    played.player.receive('42');
    say(played, { method: 'cancel' });
    assert.equal(played.told.length, 3);
    assert.deepEqual(played.written, []);
  });
});

it('stripContent removes the conversation from a message, and keeps its shape and its errors', () => {
  const message = {
    jsonrpc: '2.0',
    method: 'session/update',
    params: {
      sessionId: 's1',
      update: {
        sessionUpdate: 'tool_call',
        toolCallId: 'c1',
        title: 'cat ~/secret',
        kind: 'read',
        status: 'pending',
        rawInput: { command: 'cat x' },
        content: [{ type: 'text', text: 'hello' }],
        locations: [{ path: '/p', line: 3 }],
      },
    },
  };
  assert.deepEqual(acpFrames.stripContent(message), {
    jsonrpc: '2.0',
    method: 'session/update',
    params: {
      sessionId: 's1',
      update: {
        sessionUpdate: 'tool_call',
        toolCallId: 'c1',
        title: '[12 characters]',
        kind: 'read',
        status: 'pending',
        rawInput: { command: '[5 characters]' },
        content: [{ type: 'text', text: '[5 characters]' }],
        locations: [{ path: '[2 characters]', line: 3 }],
      },
    },
  });
  assert.deepEqual(acpFrames.stripContent({ id: 1, error: { code: 1, message: 'no key' } }), {
    id: 1,
    error: { code: 1, message: 'no key' },
  });
});
