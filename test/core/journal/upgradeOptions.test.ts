/** Reads conversations of the format's first version as today's. */
import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, it, type TestContext } from 'node:test';
import { eventUpgrader } from '../../../src/core/journal/upgradeEvents.js';
import { readConversation } from '../../../src/core/journal/journalStore.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import type { SessionState } from '../../../src/core/session/model.js';
import { MODE_OPTION_ID, type SessionOption } from '../../../src/core/session/sessionOption.js';
import { openLab, readAll } from './journalLab.js';

const fixtures = fileURLToPath(new URL('../../fixtures/journal-v1/', import.meta.url));

const mode: SessionOption = {
  type: 'select',
  id: MODE_OPTION_ID,
  name: 'Mode',
  category: 'mode',
  currentValue: 'plan',
  choices: [
    { value: 'workspace-write', name: 'Workspace write' },
    { value: 'plan', name: 'Plan', description: 'Plans only' },
  ],
};
const model: SessionOption = {
  type: 'select',
  id: 'model',
  name: 'Model',
  category: 'model',
  currentValue: 'a',
  choices: [
    { value: 'a', name: 'A' },
    { value: 'b', name: 'B' },
  ],
};

async function read(t: TestContext, sessionId: string): Promise<{ events: readonly SessionEvent[]; state: SessionState | undefined }> {
  const lab = await openLab(t);
  await cp(fixtures, lab.directory, { recursive: true });
  const { events = [], dropped } = (await readAll(lab.store, 'agent', sessionId)) ?? {};
  assert.equal(dropped, 0, 'every event makes sense');
  return { events, state: await readConversation(lab.store, 'agent', sessionId) };
}

describe('a conversation of format 1', () => {
  for (const sessionId of ['whole', 'in two files'])
    it(`it has all options in one list that begins with the mode at its last value: ${sessionId}`, async (t) => {
      const { events, state } = await read(t, sessionId);
      assert.deepEqual(state?.options, [mode, model]);
      assert.deepEqual(
        events.flatMap((event) => (event.type === 'options' ? [event.options.map((option) => option.currentValue)] : [])).slice(0, 3),
        [['a'], ['workspace-write', 'a'], ['plan', 'a']],
      );
      assert.equal(state?.turn.type, 'idle');
    });

  it('it says how it was opened', async (t) => {
    const { events } = await read(t, 'whole');
    assert.deepEqual(
      events.filter(({ type }) => type === 'opened'),
      [{ type: 'opened', at: 1, cwd: '/workspace', by: 'new' }],
    );
  });

  it('without its beginning, it is read from the state at the head of a later file', () => {
    const upgrade = eventUpgrader(1);
    const standing = [
      { type: 'opened', at: 1, cwd: '/workspace', how: 'fresh', continues: 'other' },
      { type: 'modes', at: 1, modes: { currentModeId: 'a', availableModes: [{ id: 'a', name: 'A', description: null }] } },
      { type: 'mode', at: 2, currentModeId: 'b' },
      { type: 'config_options', at: 3, configOptions: [{ type: 'boolean', id: 'o', name: 'O', category: null, currentValue: true }] },
    ];
    const choices = [{ value: 'a', name: 'A' }];
    const told = (currentValue: string): unknown => ({
      type: 'select',
      id: MODE_OPTION_ID,
      name: 'Mode',
      category: 'mode',
      currentValue,
      choices,
    });
    assert.deepEqual(standing.map(upgrade), [
      { type: 'opened', at: 1, cwd: '/workspace', continues: 'other', by: 'replacement' },
      { type: 'options', at: 1, options: [told('a')] },
      { type: 'options', at: 2, options: [told('b')] },
      { type: 'options', at: 3, options: [told('b'), { type: 'boolean', id: 'o', name: 'O', currentValue: true }] },
    ]);
  });

  it('it has one mode if an option is the mode', () => {
    const upgrade = eventUpgrader(1);
    const configOptions = [{ type: 'select', id: 'm', name: 'M', category: 'mode', currentValue: 'x', options: [] }];
    upgrade({ type: 'modes', at: 1, modes: { currentModeId: 'a', availableModes: [] } });
    assert.deepEqual(upgrade({ type: 'config_options', at: 2, configOptions }), {
      type: 'options',
      at: 2,
      options: [{ type: 'select', id: 'm', name: 'M', category: 'mode', currentValue: 'x', choices: [] }],
    });
  });

  it('it keeps groups of choices', () => {
    const options = [{ group: 'g', name: 'G', options: [{ value: 'a', name: 'A', description: 'one', _meta: {} }] }];
    assert.deepEqual(
      eventUpgrader(1)({
        type: 'config_options',
        at: 1,
        configOptions: [{ type: 'select', id: 'm', name: 'M', currentValue: 'a', options }],
      }),
      {
        type: 'options',
        at: 1,
        options: [
          {
            type: 'select',
            id: 'm',
            name: 'M',
            currentValue: 'a',
            choices: [{ group: 'g', name: 'G', choices: [{ value: 'a', name: 'A', description: 'one' }] }],
          },
        ],
      },
    );
  });

  it('it passes invalid data on to be refused by the parser', () => {
    for (const event of [undefined, 5, {}, { type: 'hologram' }, { type: 'constructor' }, { type: 5 }])
      assert.equal(eventUpgrader(1)(event), event);
    for (const broken of [
      { type: 'modes', at: 1, modes: 5 },
      { type: 'modes', at: 1, modes: { availableModes: 'x' } },
      { type: 'mode', at: 1 },
      { type: 'config_options', at: 1, configOptions: { a: 1 } },
    ])
      assert.doesNotThrow(() => eventUpgrader(1)(broken));
  });
});
