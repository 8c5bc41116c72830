import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HostError, type HostErrorCode } from '../../../src/core/base/errors.js';
import {
  classifyEnd,
  cleanHistory,
  decideRestart,
  defaultRestartLimits,
  type EndClass,
  type RestartHistory,
} from '../../../src/core/host/restartPolicy.js';
import type { ExitInfo } from '../../../src/core/node/spawnProcess.js';

const limits = defaultRestartLimits;
const exit = (code: number | null, signal: NodeJS.Signals | null = null, requested = false): ExitInfo => ({ code, signal, requested });
const error = (code: HostErrorCode): HostError => new HostError(code);

describe('how a process ended', () => {
  it('a start in a folder that is gone is not tried again', () => {
    const gone = new HostError('spawn_failed', { reason: 'folder_missing' });
    assert.equal(classifyEnd({ error: gone, exit: undefined, phase: 'starting' }), 'cannot_work');
  });
  const rows: readonly [HostErrorCode, ExitInfo | undefined, 'starting' | 'running', EndClass][] = [
    ['agent_not_found', undefined, 'starting', 'cannot_work'],
    ['spawn_failed', undefined, 'starting', 'lost'],
    ['handshake_timeout', undefined, 'starting', 'handshake_failed'],
    ['handshake_failed', exit(1), 'starting', 'handshake_failed'],
    ['handshake_failed', exit(2), 'starting', 'cannot_work'],
    ['version_unsupported', undefined, 'starting', 'handshake_failed'],
    ['auth_required', undefined, 'running', 'cannot_work'],
    ['agent_exited', exit(0), 'running', 'not_needed'],
    ['agent_exited', exit(2), 'running', 'lost'],
    ['agent_exited', exit(137), 'running', 'lost'],
    ['agent_exited', exit(null, 'SIGKILL'), 'running', 'lost'],
    ['agent_exited', exit(null, 'SIGTERM', true), 'running', 'not_needed'],
    ['agent_exited', undefined, 'running', 'lost'],
    ['line_too_long', exit(0), 'running', 'not_needed'],
    ['cancelled', undefined, 'starting', 'not_needed'],
  ];
  for (const [code, ended, phase, expected] of rows) {
    it(`${code}, ${ended === undefined ? 'no exit' : `exit ${ended.code ?? ended.signal}`}, ${phase}: ${expected}`, () => {
      assert.equal(classifyEnd({ error: error(code), exit: ended, phase }), expected);
    });
  }

  it('a server that cannot be reached may come back; one that is not secure or refuses the key will not', () => {
    const at = (reason: 'unreachable' | 'no_answer' | 'closed' | 'pin_mismatch' | 'redirected' | 'plain_text'): EndClass =>
      classifyEnd({ error: new HostError('connect_failed', { reason }), exit: undefined, phase: 'starting' });
    for (const reason of ['unreachable', 'no_answer', 'closed'] as const) assert.equal(at(reason), 'lost');
    for (const reason of ['pin_mismatch', 'redirected', 'plain_text'] as const) assert.equal(at(reason), 'cannot_work');
    const status = (code: number): EndClass =>
      classifyEnd({ error: new HostError('connect_failed', { reason: 'http_status', status: code }), exit: undefined, phase: 'starting' });
    assert.deepEqual([status(404), status(503)], ['cannot_work', 'lost']);
    const refused = new HostError('key_refused', { reason: 'status', status: 401 });
    assert.equal(classifyEnd({ error: refused, exit: undefined, phase: 'starting' }), 'cannot_work');
  });

  it('code 0 during a turn is a loss', () => {
    assert.equal(classifyEnd({ error: error('agent_exited'), exit: exit(0), phase: 'running', isMidTurn: true }), 'lost');
  });
});

describe('the next start', () => {
  const restarts = (end: EndClass, count: number, between = 0): readonly string[] => {
    let history: RestartHistory = cleanHistory;
    let now = 1_000_000;
    return Array.from({ length: count }, () => {
      const decision = decideRestart(end, history, now, 0.999, limits);
      if (decision.type === 'restart') history = decision.history;
      now += between;
      return decision.type === 'restart'
        ? `${decision.attempt} of ${decision.of} in ${Math.round(decision.delayMs / 1000)} s`
        : decision.why;
    });
  };

  it('the delay doubles from one second, and the breaker opens after five starts', () => {
    assert.deepEqual(restarts('lost', 7), [
      '1 of 5 in 1 s',
      '2 of 5 in 2 s',
      '3 of 5 in 4 s',
      '4 of 5 in 8 s',
      '5 of 5 in 16 s',
      'too_often',
      'too_often',
    ]);
  });

  it('what cannot succeed is not tried again', () => {
    assert.deepEqual(restarts('cannot_work', 1), ['cannot_work']);
  });

  it('two failed handshakes in a row open the breaker', () => {
    assert.deepEqual(restarts('handshake_failed', 2), ['1 of 5 in 1 s', 'cannot_work']);
  });

  it('a clean exit needs no restart', () => {
    assert.deepEqual(restarts('not_needed', 1), ['not_needed']);
  });

  it('old starts do not count', () => {
    assert.deepEqual(restarts('lost', 3, limits.windowMs + limits.maxDelayMs), ['1 of 5 in 1 s', '1 of 5 in 1 s', '1 of 5 in 1 s']);
  });

  it('for any sequence, the number of starts in the window and the delay stay within their limits', () => {
    const step = fc.record({
      end: fc.constantFrom<EndClass>('lost', 'handshake_failed'),
      after: fc.nat(90_000),
      random: fc.double({ min: 0, max: 0.999, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let history: RestartHistory = cleanHistory;
        let now = 0;
        const started: number[] = [];
        for (const { end, after, random } of steps) {
          now += after;
          const decision = decideRestart(end, history, now, random, limits);
          if (decision.type === 'stay') continue;
          history = decision.history;
          assert.ok(decision.delayMs >= limits.firstDelayMs * 0.75 && decision.delayMs <= limits.maxDelayMs);
          now += decision.delayMs;
          started.push(now);
          assert.ok(started.filter((at) => now - at < limits.windowMs - limits.maxDelayMs).length <= limits.starts);
        }
      }),
    );
  });
});
