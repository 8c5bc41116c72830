/** Tool calls of Pi as cards. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PiTools } from '../../src/core/backends/pi/piTools.js';

const edited = (details: unknown): unknown => {
  const tools = new PiTools('/cwd', 'p');
  tools.call({ type: 'toolCall', id: 'c1', name: 'edit', arguments: { path: 'a.txt', oldText: 'a', newText: 'b' } }, 1);
  return tools.end('c1', 'edit', { content: [], details, isError: false }, 2)[0]?.patch.locations;
};

test('an edit is located at the first line that it changed, once Pi has said which', () => {
  assert.deepEqual(edited({ diff: '-7 a\n+7 b', firstChangedLine: 7 }), [{ path: '/cwd/a.txt', line: 7 }]);
  for (const details of [undefined, null, {}, { firstChangedLine: 0 }, { firstChangedLine: '7' }]) assert.equal(edited(details), undefined);
});
