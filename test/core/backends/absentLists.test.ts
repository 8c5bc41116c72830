/** What a message doesn't contain, or contains in a form that can't be read, changes nothing that is known. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { standardQuirks } from '../../../src/core/agents/standardQuirks.js';
import { AcpOptions, LEGACY_MODEL_OPTION_ID } from '../../../src/core/backends/acp/acpOptions.js';
import { loadSessionResult, setConfigOptionResult } from '../../../src/core/backends/acp/schema/session.js';
import { parseUpdate } from '../../../src/core/backends/acp/schema/updates.js';
import { MODE_OPTION_ID } from '../../../src/core/session/sessionOption.js';

const lists = { plan: 'entries', available_commands_update: 'availableCommands', config_option_update: 'configOptions' } as const;
const unreadable: readonly (readonly [string, unknown])[] = [
  ['absent', undefined],
  ['null', null],
  ['a text', 'text'],
  ['a number', 5],
  ['an object', { a: 1 }],
  ['a list of nothing that can be read', [null, 5, {}, []]],
];

const modes = {
  currentModeId: 'ask',
  availableModes: [
    { id: 'ask', name: 'Ask' },
    { id: 'code', name: 'Code' },
  ],
};
const models = {
  currentModelId: 'a',
  availableModels: [
    { modelId: 'a', name: 'A' },
    { modelId: 'b', name: 'B' },
  ],
};
const choice = {
  id: 'deep',
  name: 'Deep',
  type: 'select',
  currentValue: 'x',
  options: [
    { value: 'x', name: 'X' },
    { value: 'y', name: 'Y' },
  ],
};
const model = { ...choice, id: 'model', category: 'model' };

describe('a list that is not there', () => {
  for (const [kind, member] of Object.entries(lists)) {
    for (const [what, value] of unreadable) {
      test(`${kind} with ${member} ${what} is no list, and is reported`, () => {
        const parsed = parseUpdate({ sessionUpdate: kind, ...(value === undefined ? {} : { [member]: value }) });
        assert.ok('problem' in parsed && parsed.isLost);
      });
    }
    test(`${kind} with an empty list is empty`, () => {
      assert.ok('update' in parseUpdate({ sessionUpdate: kind, [member]: [] }));
    });
  }

  for (const [what, value] of unreadable) {
    test(`an answer whose members are ${what} keeps the options`, () => {
      const before = openedWith({ modes, configOptions: [choice], models });
      const after = openedWith(value === undefined ? {} : { modes: value, configOptions: value, models: value }, before.list);
      assert.deepEqual(after.list, before.list);
      assert.deepEqual([...after.unstated].sort(), [LEGACY_MODEL_OPTION_ID, 'deep', MODE_OPTION_ID].sort());
      assert.equal(setConfigOptionResult.parse(value === undefined ? {} : { configOptions: value }).configOptions ?? null, null);
    });
  }

  test('what an answer states replaces what is known, member by member', () => {
    const before = openedWith({ modes, configOptions: [choice], models }).list;
    const ids = (offered: object): readonly string[] => openedWith(offered, before).list.map(({ id }) => id);
    assert.deepEqual(ids({ modes }), [MODE_OPTION_ID, 'deep', LEGACY_MODEL_OPTION_ID]);
    assert.deepEqual(ids({ models }), [MODE_OPTION_ID, 'deep', LEGACY_MODEL_OPTION_ID]);
    assert.deepEqual(ids({ configOptions: [] }), [MODE_OPTION_ID]);
    assert.deepEqual(ids({ configOptions: [model] }), [MODE_OPTION_ID, 'model']);
    const { list, unstated } = openedWith({ models: { ...models, currentModelId: 'b' } }, before);
    assert.equal(list.find(({ id }) => id === LEGACY_MODEL_OPTION_ID)?.currentValue, 'b');
    assert.ok(!unstated.has(LEGACY_MODEL_OPTION_ID));
  });

  test('an option whose value was set or reported is stated', () => {
    const options = openedWith({}, openedWith({ modes, configOptions: [choice], models }).list);
    options.expect('deep', 'y')();
    options.setCurrentMode('code');
    assert.deepEqual([...options.unstated], [LEGACY_MODEL_OPTION_ID]);
  });
});

function openedWith(answer: object, known: AcpOptions['list'] = []): AcpOptions {
  const options = new AcpOptions(standardQuirks);
  options.open(loadSessionResult.parse(answer), known);
  return options;
}
