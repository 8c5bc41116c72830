/** The quick checks that avoid trying every shape: they may only rule out a secret if a full search finds none. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { keyPrefixes, shapesIn } from '../../../src/core/base/secretShapes.js';
import { openEnd, openEndOf } from '../../../src/core/base/secretTail.js';
import { mayHoldSecret } from '../../../src/core/base/secretTraces.js';

const corpus = readFileSync(path.resolve(import.meta.dirname, '../../fixtures/redaction/secrets.jsonl'), 'utf8')
  .replaceAll('·', '')
  .split('\n')
  .filter((line) => line !== '');

/** Parts of shapes: names, separators, prefixes, values, and the beginnings of blocks and headers. */
const part = fc.oneof(
  fc.constantFrom(...keyPrefixes),
  fc.constantFrom(
    'api_key',
    'API KEY',
    'access-key-id',
    'Password',
    'SECRET',
    'authToken',
    'session',
    'pwd',
    'DB_PASS',
    'MY_TOKEN',
    'AUTH',
    'sig',
    'credentials',
    'Cookie',
    'key',
  ),
  fc.constantFrom(': ', '=', ' => ', ':=', '": "', '\\": \\"', ' ', '://', '@', ':', '.', '\n', '\\n', '"'),
  fc.constantFrom(
    'Bearer ',
    'basic ',
    'Basic ',
    'Authorization: ',
    '-----BEGIN PRIVATE KEY-----',
    '--token ',
    '--token", "',
    '-u ',
    '--user ',
    'AKIA',
    'AIza',
    'eyJ',
    'hooks.slack.com/services/',
    'discord.com/api/webhooks/',
  ),
  fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/),
  fc.stringMatching(/^\d{1,12}$/),
  fc.stringMatching(/^[A-Z]{4,20}$/),
  fc.string({ maxLength: 12 }),
);

describe('mayHoldSecret', () => {
  it('is true for every text that contains a shape', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const text = parts.join('');
        assert.ok(mayHoldSecret(text) || shapesIn(text).length === 0, text);
      }),
      { numRuns: 20_000 },
    );
  });

  it('is true for each secret of the corpus that has a shape', () => {
    assert.deepEqual(
      corpus.filter((line) => shapesIn(line).length > 0 && !mayHoldSecret(line)),
      [],
    );
  });

  it('is false for the words of an answer and the names of members', () => {
    const texts = [
      'Here is what I found in piece 4 of part 17: the words of a frame, as they come from a model.',
      'messageId',
      'sessionUpdate',
      'rawInput',
    ];
    assert.deepEqual(texts.filter(mayHoldSecret), []);
  });
});

describe('openEndOf', () => {
  it('finds each open end that a search of the whole text finds', () => {
    const blanks = fc.constantFrom(' ', '  ', '\t', '\n', ' \u00a0 ', 'a word ', '\\n');
    fc.assert(
      fc.property(fc.array(fc.oneof(part, part, blanks), { maxLength: 10 }), (parts) => {
        const text = parts.join('');
        const first = text.search(openEnd);
        assert.ok(openEndOf(text, new Set()) <= (first < 0 ? text.length : first), text);
      }),
      { numRuns: 20_000 },
    );
  });
});
