import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { oncePerTask } from '../../../src/core/base/clock.js';
import { DisposableStore, toDisposable } from '../../../src/core/base/disposable.js';
import { HostError, toHostError } from '../../../src/core/base/errors.js';
import { Emitter } from '../../../src/core/base/event.js';
import { Redactor } from '../../../src/core/base/redact.js';

describe('emitter', () => {
  it('delivers events in order when a listener fires another one', () => {
    const emitter = new Emitter<number>();
    const seen: string[] = [];
    emitter.event((value) => {
      seen.push(`first ${value}`);
      if (value === 1) emitter.fire(2);
    });
    emitter.event((value) => seen.push(`second ${value}`));
    emitter.fire(1);
    assert.deepEqual(seen, ['first 1', 'second 1', 'first 2', 'second 2']);
  });

  it('delivers an event to the other listeners when one throws', () => {
    const errors: unknown[] = [];
    const emitter = new Emitter<number>((error) => errors.push(error));
    const seen: number[] = [];
    emitter.event(() => {
      throw new Error('mine');
    });
    emitter.event((value) => seen.push(value));
    emitter.fire(1);
    assert.deepEqual([seen, errors.length], [[1], 1]);
  });

  it('treats the same listener added twice as two registrations', () => {
    const emitter = new Emitter<number>();
    let calls = 0;
    const listener = (): void => void calls++;
    const first = emitter.event(listener);
    emitter.event(listener);
    first.dispose();
    emitter.fire(1);
    assert.equal(calls, 1);
  });
});

describe('disposable store', () => {
  it('disposes once, in reverse order, and disposes late additions immediately', () => {
    const ended: string[] = [];
    const store = new DisposableStore();
    store.add(toDisposable(() => ended.push('a')));
    store.add(toDisposable(() => ended.push('b')));
    store.dispose();
    store.dispose();
    store.add(toDisposable(() => ended.push('late')));
    assert.deepEqual(ended, ['b', 'a', 'late']);
  });

  it('disposes the others when one fails', () => {
    const ended: string[] = [];
    const store = new DisposableStore();
    store.add(toDisposable(() => ended.push('a')));
    store.add({
      dispose: () => {
        throw new Error('mine');
      },
    });
    assert.throws(() => store.dispose(), AggregateError);
    assert.deepEqual(ended, ['a']);
  });
});

describe('redactor', () => {
  const redactor = new Redactor();
  redactor.addSecret('my own very secret value');
  redactor.addEnvironment({ OPENAI_API_KEY: 'plain-looking-words', HOME: '/home/user-name' });

  const secrets: readonly string[] = [
    'sk-proj-abcdefgh12345678',
    'Bearer abcdefghijklmnop',
    'ghp_0123456789abcdefghij',
    'AKIAIOSFODNN7EXAMPLE',
    'my own very secret value',
    'plain-looking-words',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc',
    'api_key=hunter2hunter2',
    '"password": "hunter2hunter2"',
  ];
  for (const secret of secrets) {
    it(`redacts ${secret.slice(0, 14)}…`, () => {
      const value =
        secret
          .split(/[\s=:"]+/)
          .filter(Boolean)
          .at(-1) ?? '';
      assert.ok(!redactor.text(`before ${secret} after`).includes(value));
    });
  }

  it('redacts the credentials in a URL and keeps the rest of it', () => {
    assert.equal(redactor.text('https://me:pass@host/path'), 'https://[redacted]@host/path');
  });

  it('redacts members by their name, and {name, value} pairs', () => {
    const value = { headers: [{ name: 'Authorization', value: 'x' }], env: [{ name: 'PATH', value: '/bin' }], apiKey: 'y', tokens: 12 };
    assert.deepEqual(redactor.json(value), {
      headers: [{ name: 'Authorization', value: '[redacted]' }],
      env: [{ name: 'PATH', value: '/bin' }],
      apiKey: '[redacted]',
      tokens: 12,
    });
  });

  it('leaves ordinary text unchanged', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(
          'npm test',
          'src/core/session/reducer.ts:12',
          'max_tokens: 65536',
          'a sketch of the disk',
          'https://example.org/a?b=c',
        ),
        (words) => {
          assert.equal(redactor.text(words), words);
        },
      ),
    );
  });
});

describe('host errors', () => {
  it('keep their code, cause and params; any other value becomes an internal error', () => {
    const cause = new Error('inner');
    const error = new HostError('request_failed', { detail: 'outer', wireCode: 1 }, { cause });
    assert.equal(toHostError(error), error);
    assert.deepEqual([error.cause, error.toData()], [cause, { code: 'request_failed', params: { detail: 'outer', wireCode: 1 } }]);
    assert.deepEqual(toHostError('a string').toData(), { code: 'internal', params: { detail: 'a string' } });
  });

  it('have a log message of code, reason and detail, and can be extended with params', () => {
    const error = new HostError('spawn_failed', { reason: 'refused', file: '/a', detail: 'EPERM' });
    assert.equal(error.message, 'spawn_failed: refused: EPERM');
    const more = error.with({ exitCode: 1 });
    assert.deepEqual([more.cause, more.params['file'], more.params['exitCode']], [error, '/a', 1]);
  });
});

describe('a clock that is read once per task', () => {
  it('returns the same time throughout a task, and a new one in the next task', async () => {
    let now = 1;
    const clock = oncePerTask({ now: () => now++ });
    assert.deepEqual([clock.now(), clock.now()], [1, 1]);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([clock.now(), clock.now()], [2, 2]);
  });
});
