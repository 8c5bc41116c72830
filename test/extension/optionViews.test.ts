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

  it('the model is the option of that name, also if another one of its category comes first, as the provider of Cline', () => {
    const named = (id: string, category: 'mode' | 'model') =>
      ({ type: 'select', id, name: id, category, currentValue: 'a', choices: [{ value: 'a', name: 'A' }] }) as const;
    const shownFor = (...options: readonly ReturnType<typeof named>[]) => {
      const { view } = draw({ session: sessionOf({ type: 'options', at: start, options }) });
      return view.composer.selectors.map(({ id, category }) => [id, category]);
    };
    assert.deepEqual(shownFor(named('provider', 'model'), named('model', 'model'), named('plan', 'mode')), [
      ['provider', 'other'],
      ['model', 'model'],
      ['plan', 'mode'],
    ]);
    assert.deepEqual(shownFor(named('fast', 'model'), named('slow', 'model')), [
      ['fast', 'model'],
      ['slow', 'other'],
    ]);
  });
});
