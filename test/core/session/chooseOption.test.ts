/** What users may enter for a value of an option. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseOption } from '../../../src/core/session/chooseOption.js';
import type { SessionOption } from '../../../src/core/session/sessionOption.js';

const model: SessionOption = {
  type: 'select',
  id: 'model',
  name: 'Model',
  category: 'model',
  currentValue: 'one/fast',
  choices: [
    { value: 'one/fast', name: 'Fast' },
    { value: 'two/fast', name: 'Fast' },
    { value: 'two/slow', name: 'Slow and sure' },
    { value: 'two/sub/deep', name: 'Deep' },
    { value: 'https://example.com/modes#plan', name: 'Plan' },
  ],
};
const choose = (value: string) => {
  const chosen = chooseOption([model], { category: 'model', value });
  return chosen.type === 'found' ? chosen.value : chosen.type === 'unknown' ? chosen.type : [chosen.type, chosen.offered];
};

test('a value is found by its id, its id without the provider, or its name', () => {
  for (const [wanted, value] of [
    ['two/fast', 'two/fast'],
    ['slow', 'two/slow'],
    ['sub/deep', 'two/sub/deep'],
    ['slow AND sure', 'two/slow'],
    ['plan', 'https://example.com/modes#plan'],
  ] as const)
    assert.equal(choose(wanted), value);
});

test('a name that matches several values is refused, and the error lists them', () => {
  for (const wanted of ['fast', 'Fast', 'FAST']) assert.deepEqual(choose(wanted), ['ambiguous', ['one/fast', 'two/fast']]);
});

test('a name that matches no value is refused, and the error lists all values', () => {
  const all = ['one/fast', 'two/fast', 'two/slow', 'two/sub/deep', 'https://example.com/modes#plan'];
  for (const wanted of ['deep/', 'example.com/modes#plan', '/example.com/modes#plan', 'two', ''])
    assert.deepEqual(choose(wanted), ['unavailable', all]);
});
