import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { toRequestError } from '../../../src/core/rpc/failureReason.js';
import { errorMessage } from '../../../src/text/errorText.js';
import { processorMs } from '../../processorTime.js';

const reasonOf = (error: unknown): string | undefined => toRequestError('session/new', error).params.detail;

describe('the reason of a failed call', () => {
  const cases: readonly (readonly [what: string, error: unknown, reason: string | undefined])[] = [
    ['a bare code', { code: -32603, message: 'Internal error' }, 'Internal error'],
    ['nothing', { code: -32603 }, undefined],
    ['data.details', { code: -32603, message: 'Internal error', data: { details: 'no model' } }, 'no model'],
    [
      'data.message',
      { code: -32603, message: 'Internal error', data: { message: 'quota exceeded', codex_error_info: 'other' } },
      'quota exceeded',
    ],
    ['data as a string', { code: -32603, message: 'Internal error', data: 'spawn ENOENT' }, 'spawn ENOENT'],
    ['a message and more', { code: -32603, message: 'Cannot start', data: { details: 'spawn ENOENT' } }, 'Cannot start: spawn ENOENT'],
    ['the same twice', { code: -32603, message: 'Cannot start: no key', data: { details: 'no key' } }, 'Cannot start: no key'],
    [
      'JSON in the message',
      { code: 400, message: 'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"too long"}}' },
      'API Error: 400: too long',
    ],
    [
      'JSON in JSON',
      { code: 500, message: JSON.stringify({ error: { code: 429, message: JSON.stringify({ error: { message: 'quota exceeded' } }) } }) },
      'quota exceeded',
    ],
    ['a list of errors', { code: -32603, message: 'Internal error', data: [{ error: { message: 'quota exceeded' } }] }, 'quota exceeded'],
    ['a bare code in front', { code: -32603, message: 'Internal error: refused as root' }, 'refused as root'],
    ['colors of a terminal', { code: -32603, message: '\u001b[31mError:\u001b[0m\n  no\tkey\u0007' }, 'no key'],
    [
      'sign in, with a reason',
      { code: -32000, message: 'Authentication required', data: { details: 'OpenAI API key not configured' } },
      'OpenAI API key not configured',
    ],
    [
      'sign in, with the ways',
      { code: -32000, message: 'Authentication required', data: { authMethods: [{ id: 'a' }] } },
      'Authentication required',
    ],
    ['facts', { code: -32601, message: 'Method not found', data: { method: 'session/fork' } }, 'Method not found (method: session/fork)'],
    [
      'what a schema says',
      { code: -32602, message: 'Invalid params', data: { cwd: { _errors: ['Required'] } } },
      'Invalid params ({"cwd":{"_errors":["Required"]}})',
    ],
    ['text with brackets', { code: -32603, message: 'no {key} [here]' }, 'no {key} [here]'],
    ['no error object', 'broken', 'broken'],
  ];
  for (const [what, error, reason] of cases) test(what, () => assert.equal(reasonOf(error), reason));

  test('a long reason is shortened between words', () => {
    const reason = reasonOf({ code: 1, message: 'word '.repeat(1_000) }) ?? '';
    assert.ok(reason.length <= 602 && reason.endsWith('word …'), reason);
  });

  test('the reason appears in the error text, wherever the agent put it', () => {
    const word = fc.stringMatching(/^[a-z]{1,9}$/);
    const reason = fc.array(word, { minLength: 2, maxLength: 12 }).map((words) => `Reason: ${words.join(' ')}`);
    const generic = fc.constantFrom(
      'Internal error',
      'Internal error.',
      'internal server error',
      'Authentication required',
      'Request failed',
      '',
    );
    const wrap: fc.Arbitrary<(inner: unknown) => unknown> = fc.constantFrom(
      (inner: unknown) => ({ details: inner }),
      (inner: unknown) => ({ message: inner, code: 7 }),
      (inner: unknown) => ({ error: inner, stack: 'at x (y.js:1:1)' }),
      (inner: unknown) => ({ error: { type: 'api_error', message: inner } }),
      (inner: unknown) => [inner],
      (inner: unknown) => JSON.stringify({ error: { message: inner } }),
      (inner: unknown) => `\u001b[31m${typeof inner === 'string' ? inner : JSON.stringify(inner)}\u001b[39m`,
    );
    fc.assert(
      fc.property(
        reason,
        generic,
        fc.array(wrap, { maxLength: 3 }),
        fc.constantFrom('data', 'message', 'prefixed'),
        fc.constantFrom(-32603, -32000, 429),
        (text, said, wraps, place, code) => {
          const told = wraps.reduce((inner: unknown, wrapIt) => wrapIt(inner), text);
          const inText = typeof told === 'string' ? told : JSON.stringify(told);
          const error =
            place === 'data'
              ? { code, message: said, data: told }
              : { code, message: place === 'message' ? inText : `Status 500. ${inText}` };
          const { code: hostCode, params } = toRequestError('session/prompt', error);
          assert.ok(errorMessage({ code: hostCode, params }, 'Agent').includes(text), JSON.stringify(params.detail));
          assert.ok(!/internal (?:server )?error|\u001b/i.test(String(params.detail)));
        },
      ),
    );
  });

  test('a very long reason is processed quickly', () => {
    const startedAt = processorMs();
    for (const piece of ['{', '[{', ' ', '{"a":', 'x: ', '\u001b['])
      reasonOf({ code: 1, message: piece.repeat(300_000), data: piece.repeat(300_000) });
    assert.ok(processorMs() - startedAt < 5_000);
  });
});
