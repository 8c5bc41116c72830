/** Every word of an answer arrives once, in order and in its message, whatever the agent sends in between. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { eventsOf, makePlace, type Place, testAgent } from '../cli/cliProcess.js';
import { runHere } from '../cli/runHere.js';

let place: Place;
beforeEach(async () => (place = await makePlace()));
afterEach(() => place.remove());

const agent = testAgent('speaksInPieces');

async function sessionAfter(prompt: string): Promise<string> {
  const { stdout } = await runHere(place, ['run', '--format', 'json', ...agent, prompt]);
  return eventsOf(stdout).find((line) => line.event === 'session')?.sessionId ?? '';
}

async function answers(prompt: string): Promise<readonly string[]> {
  const session = await sessionAfter(prompt);
  const shown: unknown = JSON.parse((await runHere(place, ['show', '--format', 'json', session])).stdout);
  assert.ok(typeof shown === 'object' && shown !== null && 'items' in shown && Array.isArray(shown.items));
  return shown.items.filter(({ type }) => type === 'answer').map(({ text }) => text);
}

describe('as text', () => {
  for (const [way, expected] of [
    ['tool in code', 'Script:\n\n```sh\n# build\nmake all\nmake test\n```\n'],
    ['asides in a word', 'The answer is forty-two.\n'],
    ['annotations', 'The answer is **forty-two**.\n'],
    [
      'pictures and links',
      'First:\n[Image](https://example.org/a.png)\nthen:\n[file:///notes.md](file:///notes.md)\n[image][content of type "video" that cannot be shown] end.\n',
    ],
    ['two at once', 'First answer.\n\nSecond answer.\n'],
    ['half characters', 'lone \uFFFD, low \uFFFD, split 😀.\n'],
    ['under another id', 'The answer is forty-two.\n'],
    ['after the end', 'The answer is forty-two.\n'],
    ['all after the end', 'The answer is forty-two.\n'],
  ] as const) {
    test(way, async () => {
      const { code, stdout, stderr } = await runHere(place, ['run', ...agent, way]);
      assert.deepEqual([code, stdout], [0, expected]);
      assert.doesNotMatch(stderr, /without a reply/);
    });
  }
});

describe('as saved', () => {
  for (const [way, expected] of [
    ['tool in code', ['Script:\n\n```sh\n# build\nmake a', 'll\nmake test\n```']],
    ['asides in a word', ['The answer is forty-two.']],
    ['two at once', ['First answer.', 'Second answer.']],
    ['after the end', ['The answer is forty-two.']],
    ['all after the end', ['The answer is forty-two.']],
  ] as const) {
    test(way, async () => assert.deepEqual(await answers(way), expected));
  }

  test('code around a tool call, as Markdown', async () => {
    const { stdout } = await runHere(place, ['show', '--format', 'md', await sessionAfter('tool in code')]);
    assert.match(stdout, /```sh\n# build\nmake a\n```\n\n\*✓ Look around t1\*\n\n```sh\nll\nmake test\n```\n/);
  });
});

test('every line of JSON is whole characters, of this run and of what it saved', async () => {
  const { stdout } = await runHere(place, ['run', '--format', 'json', ...agent, 'half characters']);
  const session = eventsOf(stdout).find((line) => line.event === 'session')?.sessionId ?? '';
  const shown = await runHere(place, ['show', '--format', 'json', session]);
  for (const text of [stdout, shown.stdout]) assert.doesNotMatch(text, /\\ud[89a-f]/);
  assert.match(stdout, /split 😀|😀\./);
  assert.match(shown.stdout, /split 😀\./);
});

test('a message for a session that is not open is told', async () => {
  const { stdout, stderr } = await runHere(place, ['run', ...agent, 'partly under another id']);
  assert.equal(stdout, 'The answer is here.\n');
  assert.match(stderr, /1 message from .* could not be read/);
});
