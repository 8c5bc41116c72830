/** Options of an agent that can be set from the command line, before a prompt and during a chat. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { CliProcess, eventsOf, noTerminal, type Place, testAgent } from './cliProcess.js';
import { placesOfOneEngine } from './engineOf.js';
import { runHere } from './runHere.js';

const makePlace = placesOfOneEngine();
let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const agent = testAgent('hasOptions');
const run = (...args: readonly string[]): ReturnType<typeof runHere> => runHere(place, ['run', ...agent, ...args, 'say how it is set']);
const setIn = (text: string): unknown => JSON.parse(/\{"mode".*?\}/.exec(text)?.[0] ?? '{}');

describe('before the prompt', () => {
  test('any option is set by its id, the last part of a hierarchical id, or its name', async () => {
    const { stdout, stderr } = await run('--mode', 'plan', '--set', 'provider=other', '--set', 'Fast mode=on');
    assert.deepEqual(setIn(stdout), { mode: 'https://example.com/modes#plan', provider: 'other', model: 'a,b', fast: true });
    assert.match(stderr, /^1,234 tokens: 1,000 in, 234 out\n$/, 'and what the turn took is the only other line');
  });

  test('--model sets the option that offers the value, which may contain a comma', async () => {
    assert.deepEqual((setIn((await run('--model', 'large')).stdout) as { model: string }).model, 'large');
    assert.deepEqual((setIn((await run('--model', 'other')).stdout) as { provider: string }).provider, 'other');
    const { code, stderr } = await run('--model', 'none');
    assert.equal(code, 2);
    assert.match(stderr, /"none" is not an option for model\. The agent offers: acme, other, "a,b", large\n/);
  });

  test('for an invalid value, the error lists the valid ones', async () => {
    const unknown = await run('--set', 'colour=red');
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /has no option "colour"\. It has: mode, provider, model, fast/);
    const unavailable = await run('--set', 'provider=nobody');
    assert.equal(unavailable.code, 2);
    assert.match(unavailable.stderr, /"nobody" is not an option for provider\. The agent offers: acme, other\n/);
    const shapeless = await run('--set', 'provider');
    assert.equal(shapeless.code, 2);
    assert.match(shapeless.stderr, /--set must be ID=VALUE/);
  });

  test('the end of the turn reports usage to programs', async () => {
    const { stdout } = await run('--format', 'json');
    const end = eventsOf(stdout).find((line) => line.event === 'turn' && line.phase === 'end');
    assert.ok(end?.event === 'turn' && end.phase === 'end');
    assert.deepEqual(end.usage, { totalTokens: 1234, inputTokens: 1000, outputTokens: 234 });
  });
});

describe('during a chat', () => {
  test('a program sets an option before later prompts, and gets an error for an invalid one', async () => {
    const { code, stdout } = await runHere(place, ['chat', ...agent, '--format', 'json'], {
      stdin: [{ option: 'mode', value: 'plan' }, { option: 'fast', value: true }, { prompt: 'go' }, { option: 'fast', value: 'maybe' }]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    });
    assert.equal(code, 0);
    const lines = eventsOf(stdout);
    const said = lines.flatMap((line) =>
      line.event === 'update' && line.update.sessionUpdate === 'agent_message_chunk' ? [JSON.stringify(line.update['content'])] : [],
    );
    assert.match(said.join(''), /#plan.*fast\\":true/);
    assert.deepEqual(
      lines.flatMap((line) => (line.event === 'error' ? [line.message] : [])),
      ['"maybe" is not an option for fast. The agent offers: on, off'],
    );
  });

  test('a user sets it with /mode, /model and /set', { skip: noTerminal() ?? false }, async () => {
    const cli = new CliProcess(place, ['chat', ...agent], { TERM: 'xterm', NO_COLOR: '1' }, { terminal: true });
    const isAsked = (text: string): boolean => /> (?:\x1b\[3G)?$/.test(text);
    await cli.until('line', isAsked);
    cli.child.stdin.write('/help\r');
    await cli.until('help', (text) => /\/mode +list the modes.*\/steer +.*\/help +list/s.test(text) && isAsked(text));
    cli.child.stdin.write('/mod\t');
    await cli.until('what both completions begin with', (text) => text.endsWith('/mode'));
    cli.child.stdin.write('\r');
    await cli.until('list', (text) => /\* https:\/\/example\.com\/modes#ask\r\n.*#plan/s.test(text) && isAsked(text));
    cli.child.stdin.write('/mode plan\r');
    await cli.until('change', (text) => text.includes('mode: plan\r\n') && isAsked(text));
    cli.child.stdin.write('/set fast maybe\r');
    await cli.until('refusal', (text) => text.includes('The agent offers: on, off') && isAsked(text));
    cli.child.stdin.write('/set fast on\r');
    await cli.until('change', (text) => text.includes('fast: on\r\n') && isAsked(text));
    cli.child.stdin.write('go\r');
    await cli.until('answer', (text) => /modes#plan".*"fast":true/.test(text) && isAsked(text));
    cli.child.stdin.write('/exit\r');
    assert.equal((await cli.ended()).code, 0);
  });
});
