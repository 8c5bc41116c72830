import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countWords, mostFrequent } from '../src/wordCount.js';

test('counts words without regard to case', () => {
  assert.equal(countWords('The cat saw the dog.').get('the'), 2);
});

test('an empty text has no words', () => {
  assert.equal(countWords('').size, 0);
});

test('the most frequent words come first, equals in alphabetical order', () => {
  assert.deepEqual(mostFrequent('b a c b'), ['b', 'a', 'c']);
});
