/** Whether an agent that answers without an error has set an option. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostError } from '../../../src/core/base/errors.js';
import { SessionOptions, setTogether } from '../../../src/core/host/sessionOptions.js';
import type { SessionOption } from '../../../src/core/session/sessionOption.js';

const modelWith = (currentValue: string): SessionOption => ({
  type: 'select',
  id: 'model',
  name: 'Model',
  currentValue,
  choices: ['small', 'large', 'acme/large'].map((value) => ({ value, name: value })),
});
const noSignIn = { signIn: (error: HostError) => Promise.reject(error) };
const kept = { code: 'usage', message: /option_kept/ };

/** A session whose answers the test decides: each call takes the next one, and resolves when the test says so. */
function sessionWith(first: string, ...answers: readonly (readonly SessionOption[])[]) {
  const waiting: (() => void)[] = [];
  const session = {
    options: [modelWith(first)] as readonly SessionOption[],
    setOption: () =>
      new Promise<void>((resolve) => {
        const options = answers[waiting.length] ?? assert.fail();
        waiting.push(() => {
          session.options = options;
          resolve();
        });
      }),
  };
  const options = new SessionOptions();
  return {
    set: (value: string) => options.set(session, noSignIn, 'model', value),
    answerAll: () => waiting.forEach((answer) => answer()),
  };
}

for (const [what, first, answer, isKept] of [
  ['the value', 'small', [modelWith('large')], false],
  ['another value', 'small', [modelWith('acme/large')], false],
  ['the value from before', 'small', [modelWith('small')], true],
  ['the full name that it had and does not offer', 'acme/large-2026', [modelWith('acme/large-2026')], false],
  ['no options any more', 'small', [], false],
] as const)
  test(`an agent that answers with ${what} has ${isKept ? 'not ' : ''}set it`, async () => {
    const { set, answerAll } = sessionWith(first, answer);
    const setting = set('large');
    answerAll();
    await (isKept ? assert.rejects(setting, kept) : setting);
  });

test('two changes of which the second goes back, answered at once, are both set', async () => {
  const { set, answerAll } = sessionWith('small', [modelWith('large')], [modelWith('small')]);
  const changes = [set('large'), set('small')];
  answerAll();
  await Promise.all(changes);
});

test('of two options that undo each other, the later one stays, and the other one is told', async () => {
  const session: Record<string, string> = {};
  const set = (one: string): Promise<'set'> => {
    session['mode'] = session['model'] = 'usual';
    session[one] = 'wanted';
    return Promise.resolve('set');
  };
  assert.deepEqual(await setTogether(['mode', 'model'], set, (one) => session[one]), ['mode']);
  assert.deepEqual(session, { mode: 'usual', model: 'wanted' });
});
