/** An agent may refuse an option that it offers. Nothing is sent to it without the option. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExitCode } from '../../src/cli/output/exitCode.js';
import { CliProcess, eventsOf, makePlace, testAgent } from '../cli/cliProcess.js';
import { runHere } from '../cli/runHere.js';

const agent = testAgent('refusesOptions');

for (const [wish, option, value] of [
  [['--mode', 'plan'], 'mode', 'plan'],
  [['--model', 'b'], 'model', 'b'],
  [['--set', 'fast=on'], 'fast', 'on'],
] as const) {
  test(`an agent that refuses ${wish.join(' ')} did start, and the option is invalid usage`, async (t) => {
    const place = await makePlace();
    t.after(() => place.remove());
    const text = await runHere(place, ['run', ...agent, ...wish, 'hi']);
    assert.equal(text.code, ExitCode.usage, text.stderr);
    assert.match(text.stderr, new RegExp(`refused to set ${option} to "${value}": Cannot change this now`));
    assert.doesNotMatch(text.stdout, /Done/);

    const json = await runHere(place, ['run', ...agent, ...wish, '--format', 'json', 'hi']);
    assert.equal(json.code, ExitCode.usage);
    const error = eventsOf(json.stdout).find((line) => line.event === 'error');
    assert.equal(error?.code, 'usage');
    assert.deepEqual(error.data, { reason: 'option_refused', option, value });
  });
}

for (const [wish, said] of [
  [['--model', 'b'], /did not set model to "b"\. It is "a"/],
  [['--set', 'fast=on'], /did not set fast to "on"\. It is "off"/],
] as const) {
  test(`an agent that leaves ${wish.join(' ')} as it was without a word gets no prompt`, async (t) => {
    const place = await makePlace();
    t.after(() => place.remove());
    const { code, stdout, stderr } = await runHere(place, ['run', ...agent, ...wish, 'hi'], { env: { SILENTLY: '1' } });
    assert.equal(code, ExitCode.usage, stderr);
    assert.match(stderr, said);
    assert.doesNotMatch(stdout, /Done/);
  });
}

test('an agent that goes to another mode than the one that was asked for gets no prompt, and says so when it is resumed', async (t) => {
  const place = await makePlace();
  t.after(() => place.remove());
  const other = testAgent('choosesItsMode');
  const { code, stdout, stderr } = await runHere(place, ['run', ...other, '--mode', 'plan', 'hi']);
  assert.deepEqual([code, stdout], [ExitCode.usage, ''], stderr);
  assert.match(stderr, /did not set mode to "plan"\. It is "auto"/);

  assert.equal((await runHere(place, ['run', ...other, 'hi'])).stdout.trim(), 'ask');
  const resumed = await runHere(place, ['run', ...other, '--continue', 'hi']);
  assert.match(resumed.stderr, /Mode "ask" was refused: .* It is "auto"/);
});

test('a chat says that the agent refused an option, and continues', async (t) => {
  const place = await makePlace();
  t.after(() => place.remove());
  const chat = new CliProcess(place, ['chat', ...agent, '--format', 'json']);
  chat.writeLine({ option: 'model', value: 'b' });
  const error = await chat.event('refusal', (line) => line.event === 'error');
  assert.match(error.event === 'error' ? error.message : '', /refused to set model to "b": Cannot change this now/);
  chat.writeLine({ prompt: 'hi' });
  await chat.event('answer', (line) => line.event === 'turn' && line.phase === 'end');
  chat.child.stdin.end();
  assert.equal((await chat.ended()).code, ExitCode.ended);
});
