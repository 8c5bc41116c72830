/** What `--answer` and `--permission` decide in a run without a user, and why they reject. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { makePlace, type Place, testAgent } from '../cli/cliProcess.js';
import { runHere } from '../cli/runHere.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const choice = { type: 'string', title: 'Color', oneOf: ['Red', 'Blue'].map((name) => ({ const: name.toLowerCase(), title: name })) };
const own = { type: 'string', title: 'Other', description: 'Type your own answer (optional).' };
const form = (properties: unknown, required: readonly string[] = []): string =>
  JSON.stringify([
    'elicitation/create',
    { mode: 'form', message: 'Which color?', requestedSchema: { type: 'object', properties, required } },
  ]);
const both = { question_0: choice, question_0_custom: own };

async function answered(prompt: string, answer: string): Promise<string> {
  const { stdout } = await runHere(place, ['run', '--permission', 'allow', '--answer', answer, ...testAgent('elicits'), prompt]);
  return stdout.trim();
}

test('--answer goes to the field that offers it, otherwise to the only text', async () => {
  assert.equal(await answered(form(both), 'Red'), '{"action":"accept","content":{"question_0":"red"}}');
  assert.equal(await answered(form(both), 'Green'), '{"action":"accept","content":{"question_0_custom":"Green"}}');
  assert.match(await answered(form(both, ['question_0']), 'Green'), /"cancel"/);
});

test('--answer answers each of several questions that offer it', async () => {
  const two = { ...both, question_1: { ...choice, title: 'Second' }, question_1_custom: own };
  assert.equal(await answered(form(two), 'Red'), '{"action":"accept","content":{"question_0":"red","question_1":"red"}}');
});

const permission = (...kinds: readonly string[]): string =>
  JSON.stringify([
    'session/request_permission',
    {
      toolCall: { toolCallId: 'c', title: 'Confirm actions', kind: 'execute', rawInput: { command: 'ls' } },
      options: [...kinds, 'reject_once'].map((kind, index) => ({ optionId: `o${index}`, name: `Option ${index}`, kind })),
    },
  ]);

test('a rejection without a user says why', async () => {
  const run = (args: readonly string[], prompt: string) => runHere(place, ['run', ...args, ...testAgent('elicits'), prompt]);
  const several = await run(['--permission', 'allow'], permission('allow_once', 'allow_once'));
  assert.match(several.stdout, /"o2"/);
  assert.match(several.stderr, /"Confirm actions" was rejected: it offers several options .* --answer: "Option 0", "Option 1"/);
  assert.match((await run(['--permission', 'allow'], permission('allow_always'))).stderr, /it offers no option that allows it once/);
  assert.match((await run([], permission('allow_once'))).stderr, /nobody can be asked/);
  assert.doesNotMatch((await run(['--permission', 'reject'], permission('allow_once'))).stderr, /was rejected/);
});
