/**
 * The options of a session in the Pi family show what the agent really uses, whoever changed it. The peer is a stand-in, which does not
 * prove interoperability.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test, type TestContext } from 'node:test';
import { connectPi, connectXcsh } from '../../src/core/backends/pi/piBackend.js';
import type { SelectOption, SessionOption } from '../../src/core/session/sessionOption.js';
import { within } from '../real/deadline.js';
import { piDialects, piStandIn, type StandInDialect } from './piPeers.js';
import { connectSeam, eventsIn, type OpenSession } from './seam.js';

const sessions = mkdtempSync(path.join(tmpdir(), 'acp-host-pi-options-'));
after(() => rmSync(sessions, { recursive: true, force: true }));

async function open(t: TestContext, dialect: StandInDialect): Promise<OpenSession> {
  return (await connectSeam(t, dialect === 'xcsh' ? connectXcsh : connectPi, { agent: piStandIn(dialect, sessions) })).open();
}

const isSelect = (option: SessionOption): option is SelectOption => option.type === 'select';

/** The last reported value and choices of an option, which must be the same in the session and in its events. */
function thinking({ session, told }: OpenSession): readonly [value: string | undefined, choices: readonly string[]] {
  const events = eventsIn(told.all).filter((event) => event.type === 'options');
  const last = events.at(-1);
  if (last?.type === 'options') assert.deepEqual(last.options, session.options);
  const option = session.options.filter(isSelect).find(({ id }) => id === 'thought_level');
  return [option?.currentValue, (option?.choices ?? []).flatMap((choice) => ('value' in choice ? choice.value : []))];
}

const usual = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'];
/** The highest level of the first model, its levels, and the level that the agent uses after a model without thinking. */
const facts = {
  pi074: { highest: 'high', choices: usual, fallback: 'medium' },
  pi087: { highest: 'max', choices: ['off', 'medium', 'max'], fallback: 'medium' },
  xcsh: { highest: 'high', choices: usual, fallback: 'off' },
} as const;

for (const dialect of piDialects)
  describe(dialect, () => {
    const { highest, choices, fallback } = facts[dialect];

    test('a model without thinking has only the level off, and the next model has all levels again', async (t) => {
      const seam = await open(t, dialect);
      assert.deepEqual(thinking(seam), ['medium', choices]);
      await seam.session.setOption('thought_level', highest);
      assert.deepEqual(thinking(seam), [highest, choices]);
      await seam.session.setOption('model', 'mock/sub/two');
      assert.deepEqual(thinking(seam), ['off', ['off']]);
      await seam.session.setOption('model', 'mock/one');
      assert.deepEqual(thinking(seam), [fallback, choices]);
      await seam.session.setOption('thought_level', highest);
      assert.deepEqual(thinking(seam), [highest, choices]);
    });

    test('a level that the model does not support becomes the one that is used', async (t) => {
      const seam = await open(t, dialect);
      await seam.session.setOption('thought_level', 'minimal');
      assert.equal(thinking(seam)[0], dialect === 'pi087' ? 'medium' : 'minimal');
    });

    for (const [who, prompt] of [
      ['a run', 'otherModel'],
      ['a command of an extension', '/otherModel'],
    ] as const)
      test(`a model chosen by ${who} is reported at the end of its turn`, async (t) => {
        const seam = await open(t, dialect);
        await within(seam.prompt(prompt), 'end');
        assert.equal(seam.session.options.find(({ id }) => id === 'model')?.currentValue, 'mock/sub/two');
        assert.deepEqual(thinking(seam), ['off', ['off']]);
      });
  });
