/** Modes, options and the models of older agents as one list. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SessionConfigOption } from '@agentclientprotocol/sdk';
import { agentaoQuirks } from '../../../src/core/agents/agentao/agentaoQuirks.js';
import { standardQuirks } from '../../../src/core/agents/standardQuirks.js';
import { AcpOptions, LEGACY_MODEL_OPTION_ID } from '../../../src/core/backends/acp/acpOptions.js';
import type { OfferedBySession } from '../../../src/core/backends/acp/schema/session.js';
import { MODE_OPTION_ID, type SessionOption } from '../../../src/core/session/sessionOption.js';
import { fedSessions } from './feed.js';

const modes = {
  currentModeId: 'ask',
  availableModes: [
    { id: 'ask', name: 'Ask', description: 'Asks first' },
    { id: 'code', name: 'Code', description: null },
  ],
};
const models = { currentModelId: 'a', availableModels: [{ modelId: 'a', name: 'A' }] };
const depth = { type: 'boolean', id: 'deep', name: 'Deep', currentValue: false } as const;
const configMode = (currentValue: string): SessionConfigOption => ({
  type: 'select',
  id: 'm',
  name: 'Mode',
  category: 'mode',
  currentValue,
  options: [
    { value: 'ask', name: 'Ask' },
    { value: 'code', name: 'Code' },
  ],
});
const configModel: SessionConfigOption = { type: 'select', id: 'model', name: 'Model', category: 'model', currentValue: 'x', options: [] };

const modeOption: SessionOption = {
  type: 'select',
  id: MODE_OPTION_ID,
  name: 'Mode',
  category: 'mode',
  currentValue: 'ask',
  choices: [
    { value: 'ask', name: 'Ask', description: 'Asks first' },
    { value: 'code', name: 'Code' },
  ],
};

function opened(offered: OfferedBySession, known: readonly SessionOption[] = [], quirks = standardQuirks): AcpOptions {
  const options = new AcpOptions(quirks);
  options.open(offered, known);
  return options;
}

const values = (options: readonly SessionOption[]): unknown => options.map(({ id, currentValue }) => [id, currentValue]);

describe('what a session offers', () => {
  test('modes, options and legacy models form one list that begins with the mode', () => {
    const { list, unstated } = opened({ modes, configOptions: [depth], models });
    assert.deepEqual(list, [
      modeOption,
      { type: 'boolean', id: 'deep', name: 'Deep', currentValue: false },
      {
        type: 'select',
        id: LEGACY_MODEL_OPTION_ID,
        name: 'Model',
        category: 'model',
        currentValue: 'a',
        choices: [{ value: 'a', name: 'A' }],
      },
    ]);
    assert.equal(unstated.size, 0);
  });

  test('if an option has the category `mode`, the older `modes` are not listed separately', () => {
    const { list } = opened({ modes, configOptions: [configMode('code'), configModel], models });
    assert.deepEqual(values(list), [
      ['m', 'code'],
      ['model', 'x'],
    ]);
  });

  test('a session without options has an empty list', () => assert.deepEqual(opened({}).list, []));

  test('options reported before an answer without options are kept', () => {
    const options = new AcpOptions(standardQuirks);
    assert.equal(options.setConfig([depth]), true);
    options.open({ configOptions: null, modes }, []);
    assert.deepEqual(values(options.list), [
      [MODE_OPTION_ID, 'ask'],
      ['deep', false],
    ]);
    options.open({ configOptions: [] }, []);
    assert.ok(!options.list.some(({ id }) => id === 'deep'), 'an empty list takes them back');
  });
});

describe('changes', () => {
  test('the list stays the same array if nothing changed', () => {
    const options = opened({ modes, configOptions: [depth] });
    const { list } = options;
    assert.deepEqual(
      [options.setConfig([depth]), options.setCurrentMode('ask'), options.expect('deep', false)(), options.expect('nobody', 'x')()],
      [false, false, false, false],
    );
    assert.equal(options.list, list);
  });

  test('a new list of options keeps the mode and the legacy model', () => {
    const options = opened({ modes, configOptions: [depth], models });
    assert.equal(options.setConfig([]), true);
    assert.deepEqual(values(options.list), [
      [MODE_OPTION_ID, 'ask'],
      [LEGACY_MODEL_OPTION_ID, 'a'],
    ]);
    options.setConfig([configModel]);
    assert.deepEqual(values(options.list), [
      [MODE_OPTION_ID, 'ask'],
      ['model', 'x'],
    ]);
  });

  test('what the agent reports before an answer without a value is not replaced by what was asked for', () => {
    const options = opened({ modes, configOptions: [depth] });
    const [setMode, setDepth] = [options.expect(MODE_OPTION_ID, 'code'), options.expect('deep', true)];
    options.setCurrentMode('ask');
    assert.deepEqual([setMode(), setDepth()], [false, true]);
    assert.deepEqual(values(options.list), [
      [MODE_OPTION_ID, 'ask'],
      ['deep', true],
    ]);
    const [first, second] = [options.expect(MODE_OPTION_ID, 'code'), options.expect(MODE_OPTION_ID, 'ask')];
    assert.deepEqual([first(), second()], [true, true], 'an answer is no report');
    const setTwin = options.expect('m', 'code');
    options.setConfig([configMode('ask')]);
    options.setCurrentMode('ask');
    assert.equal(setTwin(), false);
  });

  test('a value of the wrong type changes nothing', () => {
    const options = opened({ configOptions: [depth, configMode('ask')] });
    assert.deepEqual([options.expect('deep', 'yes')(), options.expect('m', true)()], [false, false]);
  });
});

describe('the mode', () => {
  test('current_mode_update alone changes the option that is the mode, and is reported', async () => {
    const fed = fedSessions();
    const opening = fed.open();
    await opening.answer({ sessionId: 's', configOptions: [configMode('ask'), depth] });
    fed.update('s', { sessionUpdate: 'current_mode_update', currentModeId: 'code' });
    assert.deepEqual(values(opening.session().options), [
      ['m', 'code'],
      ['deep', false],
    ]);
    assert.deepEqual(
      fed.events.map((event) => event.type === 'options' && values(event.options)),
      [values(opening.session().options)],
    );
    fed.update('s', { sessionUpdate: 'config_option_update', configOptions: [configMode('code'), depth] });
    assert.equal(fed.events.length, 1, 'told twice by the agent, once by the host');
  });

  test("the mode in the agent's answer applies, whatever mode was requested", async () => {
    const fed = fedSessions();
    const opening = fed.open();
    await opening.answer({ sessionId: 's', modes });
    const setting = opening.session().setOption(MODE_OPTION_ID, 'code');
    fed.wire.take('session/set_mode').answer({ modeId: 'ask' });
    await setting;
    assert.deepEqual(values(opening.session().options), [[MODE_OPTION_ID, 'ask']]);
  });

  test('what an agent reports before its answer to session/new applies only to what the answer leaves out', async () => {
    const optionsAfter = async (answer: object): Promise<unknown> => {
      const fed = fedSessions();
      const opening = fed.open();
      fed.update('s', { sessionUpdate: 'config_option_update', configOptions: [configMode('code'), depth] });
      fed.update('s', { sessionUpdate: 'current_mode_update', currentModeId: 'code' });
      await opening.answer({ sessionId: 's', ...answer });
      return values(opening.session().options);
    };
    assert.deepEqual(await optionsAfter({ configOptions: [configMode('ask')] }), [['m', 'ask']]);
    assert.deepEqual(await optionsAfter({}), [
      ['m', 'code'],
      ['deep', false],
    ]);
  });

  test('a mode reported before the list of modes is the current one, unless the list names another', () => {
    const early = new AcpOptions(standardQuirks);
    assert.equal(early.setCurrentMode('code'), false);
    early.open({}, [modeOption]);
    assert.deepEqual([values(early.list), early.unstated.size], [[[MODE_OPTION_ID, 'code']], 0]);
    const late = new AcpOptions(standardQuirks);
    late.setCurrentMode('code');
    late.open({ modes }, []);
    assert.deepEqual(values(late.list), [[MODE_OPTION_ID, 'ask']]);
  });

  test('if the agent does not repeat its options after a load, the last known ones are shown as unconfirmed until the agent reports one', () => {
    const options = opened({}, [
      { ...modeOption, currentValue: 'code' },
      { type: 'boolean', id: 'deep', name: 'Deep', currentValue: true },
    ]);
    assert.deepEqual(values(options.list), [
      [MODE_OPTION_ID, 'code'],
      ['deep', true],
    ]);
    assert.deepEqual([...options.unstated].sort(), [MODE_OPTION_ID, 'deep'].sort());
    options.setCurrentMode('code');
    options.expect('deep', true)();
    assert.deepEqual([...options.unstated], []);
  });

  test('if the agent repeats the mode after a load, that mode applies', () => {
    const options = opened({ modes }, [{ ...modeOption, currentValue: 'code' }]);
    assert.deepEqual([values(options.list), options.unstated.size], [[[MODE_OPTION_ID, 'ask']], 0]);
  });

  test('for an agent that always starts in the same mode, that mode is unconfirmed after a load, and its hint appears once', () => {
    const quirks = agentaoQuirks('0.5.17');
    const first = opened({}, [], quirks);
    const again = opened({}, first.list, quirks);
    assert.deepEqual([values(first.list), [...first.unstated]], [[[MODE_OPTION_ID, 'workspace-write']], [MODE_OPTION_ID]]);
    assert.deepEqual(again.list, first.list);
  });
});

test('models that the agent lists in a separate call survive changes, and the session reports when they arrive', async () => {
  const fed = fedSessions(agentaoQuirks('0.5.17'));
  const opening = fed.open();
  const model = (value: string) => [
    { type: 'select', id: 'model', name: 'Model', category: 'model', currentValue: value, options: [{ value, name: value }] },
  ];
  await opening.answer({ sessionId: 's', modes, configOptions: model('p/one') });
  const session = opening.session();
  assert.ok(session.moreOptions);
  fed.wire.take('session/list_models').answer({ models: ['one', 'two'] });
  await session.moreOptions;
  const offered = (): unknown =>
    session.options.map(
      (option) => option.id === 'model' && option.type === 'select' && option.choices.map((choice) => 'value' in choice && choice.value),
    );
  assert.deepEqual(offered(), [false, ['p/one', 'p/two']]);
  fed.update('s', { sessionUpdate: 'config_option_update', configOptions: model('p/two') });
  assert.deepEqual(offered(), [false, ['p/two', 'p/one']]);
});
