/** The options of an agent as the composer shows them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { draw, sessionOf, start } from './drawnChat.js';

describe('the options of a session', () => {
  const option = {
    type: 'select',
    id: 'prompt',
    name: 'Prompt',
    choices: [{ value: 'default', name: 'default' }],
    custom: 'text',
  } as const;
  const selectorOf = (currentValue: string) => {
    const session = sessionOf({ type: 'options', at: start, options: [{ ...option, currentValue }] });
    return draw({ session }).view.composer.selectors[0];
  };

  it('with custom values, any other value can be entered', () => {
    assert.deepEqual(
      selectorOf('default')?.options.map(({ label }) => label),
      ['default', 'Other…'],
    );
  });

  it('a long value is shortened', () => {
    const shown = selectorOf('You are a very careful reviewer of code that nobody else wants to read.');
    assert.equal(shown?.options[0]?.label, 'You are a very careful reviewer of code…');
  });
});
