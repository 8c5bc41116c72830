import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HostError } from '../../../src/core/base/errors.js';
import { choose } from '../../../src/core/backends/choose.js';
import type { SessionOption } from '../../../src/core/session/model.js';

const options: readonly SessionOption[] = [
  { type: 'boolean', id: 'sandbox', name: 'Sandbox', currentValue: true },
  {
    type: 'select',
    id: 'model',
    name: 'Model',
    currentValue: 'small',
    choices: ['small', 'large'].map((value) => ({ value, name: value })),
  },
];
const refused = (id: string, value: string | boolean): unknown => {
  try {
    return choose(options, id, value);
  } catch (error) {
    assert.ok(error instanceof HostError);
    return [error.code, error.params];
  }
};

describe('an option that the host stores for the agent', () => {
  test('a value that is offered is set, and the other options stay as they are', () => {
    assert.deepEqual(choose(options, 'model', 'large'), [options[0], { ...options[1], currentValue: 'large' }]);
  });

  test('an option or a value that is not offered is refused with what is offered', () => {
    assert.deepEqual(refused('modell', 'large'), ['usage', { reason: 'option_unknown', option: 'modell', offered: ['sandbox', 'model'] }]);
    assert.deepEqual(refused('model', 'huge'), ['usage', { reason: 'option_unavailable', option: 'model', value: 'huge' }]);
    assert.deepEqual(refused('sandbox', 'on'), ['usage', { reason: 'option_unavailable', option: 'sandbox', value: 'on' }]);
  });
});
