/** What agents write for terminals controls nothing and shows nothing in the page. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draw, sessionOf, start, turn } from './drawnChat.js';

const codes = '\x1b[1;31m%\x1b(B\x1b[m\x9b0m\x1b]8;;http://x\x1b\\\x07';
const coded = (text: string): string => codes.replace('%', text);
const at = start;
const turnId = 't1';

/** The texts of a view, except for those that the page draws itself: answers, thoughts and output arrive in pieces. */
function textsIn(value: unknown, name = ''): readonly string[] {
  if (typeof value === 'string')
    return ['id', 'itemId', 'value', 'uri', 'path', 'markdown', 'output', 'rawInput', 'rawOutput', 'data'].includes(name) ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'diffs' || key === 'user' ? [] : textsIn(inner, Array.isArray(value) ? name : key),
  );
}

test('titles, plans, options, notices, details and names come without terminal codes', () => {
  const { view } = draw({
    status: { state: 'failed', error: { code: 'request_failed', params: { detail: coded('reason') } }, stderrTail: coded('stderr\rlast') },
    session: sessionOf(
      turn,
      {
        type: 'options',
        at,
        options: [
          {
            id: 'mode',
            name: coded('Mode'),
            category: 'mode',
            type: 'select',
            currentValue: 'a',
            choices: [{ value: 'a', name: coded('Ask'), description: coded('asks') }],
          },
          {
            id: 'model',
            name: 'Model',
            category: 'model',
            type: 'select',
            currentValue: 'm',
            choices: [{ value: 'm', name: coded('Large') }],
          },
        ],
      },
      { type: 'commands', at, commands: [{ name: 'do', description: coded('does'), input: { hint: coded('what') } }] },
      { type: 'plan', at, entries: [{ content: coded('step'), priority: 'high', status: 'pending' }] },
      { type: 'tool', at, id: 'x', toolCallId: 'x', patch: { title: coded('title'), toolKind: 'other', status: 'completed' } },
      {
        type: 'tool',
        at,
        id: 'y',
        toolCallId: 'y',
        patch: { title: 'y', toolKind: 'search', status: 'completed', rawInput: { pattern: coded('words') } },
      },
      {
        type: 'turn_ended',
        at,
        turnId,
        outcome: { type: 'failed', error: { code: 'request_failed', params: { detail: coded('why') } }, stderrTail: coded('log') },
      },
    ),
  });
  const texts = textsIn(view);
  assert.deepEqual(
    texts.filter((text) => /[\x00-\x08\x0b-\x1f\x7f-\x9f]|\[1;31m|http:/.test(text)),
    [],
  );
  for (const word of ['Mode', 'Ask', 'asks', 'Large', 'does', 'what', 'step', 'title', 'words', 'log', 'last'])
    assert.ok(texts.includes(word), `${word} in ${JSON.stringify(texts)}`);
});
