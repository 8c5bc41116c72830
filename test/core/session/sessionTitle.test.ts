/** A conversation keeps a name by which the user knows it, although some agents rename it to the last prompt each turn. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstLine, type ContentBlock } from '../../../src/core/session/content.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import { emptySession, reduceAll } from '../../../src/core/session/reducer.js';
import { titleOf, withLastingTitles } from '../../../src/core/session/sessionTitle.js';

const long = `Make the parser tolerant ${'of every line that it cannot read '.repeat(4)}`;

function session(...steps: readonly (readonly [prompt: string | readonly ContentBlock[], title: string | null])[]) {
  const events = steps.flatMap(([prompt, title], index): SessionEvent[] => [
    {
      type: 'turn_started',
      at: index,
      turnId: `t${index}`,
      content: typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt,
    },
    { type: 'info', at: index, title },
    { type: 'turn_ended', at: index, turnId: `t${index}`, outcome: { type: 'ended', stopReason: 'end_turn', silent: false } },
  ]);
  const empty = emptySession('s', '/project', 0);
  return reduceAll(empty, withLastingTitles(empty, events));
}

const titles: Readonly<Record<string, readonly [string | undefined, ReturnType<typeof session>]>> = {
  'the first title': ['Tolerant parser', session([long, 'Tolerant parser'])],
  'the first one, although it is the prompt': ['go', session(['go', 'go'])],
  'the first one, if the next is the prompt': [
    'Tolerant parser',
    session([long, 'Tolerant parser'], ['and now the tests', 'and now the tests']),
  ],
  'the first one, if the next is the beginning of the prompt': [
    'Parsers',
    session(['hello', 'Parsers'], [long, `${long.slice(0, 40).trimEnd()}…`], [long, `${long.slice(0, 40)}...`]),
  ],
  'the first one, if the next is the prompt in other white space and case': [
    'One',
    session(['a', 'One'], ['run\n  the Tests', 'Run the tests']),
  ],
  'a better one': ['Tolerant parser', session(['hello', 'hello'], ['the parser', 'Tolerant parser'])],
  'none, if the agent takes it back': [undefined, session(['a', 'One'], ['b', null])],
};

for (const [what, [expected, { title }]] of Object.entries(titles)) test(`a session has ${what}`, () => assert.equal(title, expected));

test('a conversation that continues in another session keeps its name unless the new one says more', () => {
  const first = session(['hello', 'Tolerant parser']);
  assert.equal(titleOf([first, session(['go on', 'go on'])]), 'Tolerant parser');
  assert.equal(titleOf([first, session(['go on', 'Release notes'])]), 'Release notes');
  assert.equal(titleOf([session(), first]), 'Tolerant parser');
  // A new session gets what was said before in front of the prompt, which the agent leaves out of the name.
  const before: ContentBlock = { type: 'resource', resource: { uri: 'acp-host:conversation/s', text: 'You: hello' } };
  assert.equal(titleOf([first, session([[before, { type: 'text', text: 'go on' }], 'go on'])]), 'Tolerant parser');
});

test('a conversation has no name from its agent if that is the beginning of the prompt, with what was pasted or attached', () => {
  const attached: ContentBlock = { type: 'resource', resource: { uri: 'file:///project/a.ts', text: 'export const a = 1;\n' } };
  const words: ContentBlock = { type: 'text', text: 'Why does this fail?\nError: no such file' };
  const named = (prompt: readonly ContentBlock[], title: string): string | undefined => titleOf([session([prompt, title])]);
  assert.equal(named([words], 'Why does this fail? Error: no su…'), undefined);
  assert.equal(named([words, attached], 'Why does this fail? Error: no such file file:///project/a.ts ``` exp'), undefined);
  assert.equal(named([attached, words], 'export const a = 1; Why does'), undefined);
  assert.equal(named([words, attached], 'A missing file'), 'A missing file');
});

test('the first line of a message is the first one with words', () => {
  assert.equal(firstLine('\n```\nWhy?  \nError: no such file'), 'Why?');
  assert.equal(firstLine(' ??? \n'), '???');
});
