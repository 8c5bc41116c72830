/** Tool calls of Pi as cards. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PiTools } from '../../src/core/backends/pi/piTools.js';

const edited = (details: unknown): unknown => {
  const tools = new PiTools('/cwd', 'p');
  tools.call({ type: 'toolCall', id: 'c1', name: 'edit', arguments: { path: 'a.txt', oldText: 'a', newText: 'b' } }, 1);
  return tools.end('c1', 'edit', { content: [], details, isError: false }, 2)[0]?.patch.locations;
};

test('an edit is located at its first changed line, once Pi has reported it', () => {
  assert.deepEqual(edited({ diff: '-7 a\n+7 b', firstChangedLine: 7 }), [{ path: '/cwd/a.txt', line: 7 }]);
  for (const details of [undefined, null, {}, { firstChangedLine: 0 }, { firstChangedLine: '7' }]) assert.equal(edited(details), undefined);
});

describe('a file that is overwritten', () => {
  const write = { type: 'toolCall', id: 'c1', name: 'write', arguments: { path: 'a.txt', content: 'new' } } as const;
  const diffs = (events: ReturnType<PiTools['call']>) =>
    events.flatMap(({ patch }) => patch.content ?? []).map((part) => part.type === 'diff' && [part.path, part.oldText, part.newText]);
  /** @param texts the content of the file at each read */
  const started = (...texts: readonly (string | null | undefined)[]) => {
    let looks = 0;
    const tools = new PiTools('/cwd', 'p', { peekNow: (path) => (path === '/cwd/a.txt' ? texts[looks++] : assert.fail(path)) });
    const called = tools.call(write, 1);
    const begun = tools.start({ toolCallId: 'c1', toolName: 'write', args: write.arguments }, 2);
    return [...diffs(called), ...diffs(begun), ...diffs(tools.end('c1', 'write', { content: [], isError: false }, 3))];
  };
  const diff = (oldText: string | null | undefined) => ['/cwd/a.txt', oldText, 'new'];

  test('it is shown with its old text at the beginning of the call', () => {
    assert.deepEqual(started('old', 'old'), [diff('old'), diff('old')]);
    assert.deepEqual(started('old', 'older'), [diff('old'), diff('older'), diff('older')]);
    assert.deepEqual(started(null, null), [diff(null), diff(null)]);
  });

  test('text that the call itself has written, or that cannot be read, is not shown as the old text', () => {
    assert.deepEqual(started('old', 'new'), [diff('old'), diff('old')]);
    assert.deepEqual(started('old', ''), [diff('old'), diff('old')]);
    for (const text of ['new', '', undefined]) assert.deepEqual(started(text, text), [diff(undefined), diff(undefined)]);
  });

  test('it is not read when a session is loaded', () => {
    const tools = new PiTools('/cwd', 'p', { peekNow: () => assert.fail() });
    assert.deepEqual(diffs(tools.recall(write, 1)), [diff(undefined)]);
  });
});
