/** An embedded resource in which the absent one of its two forms is written, wherever it stands. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { parseContentBlock } from '../../src/core/backends/acp/schema/content.js';
import { parseConfigOption } from '../../src/core/backends/acp/schema/session.js';
import { makePlace, type Place, testAgent } from '../cli/cliProcess.js';
import { runHere } from '../cli/runHere.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const odd = [undefined, null, 7, { a: 1 }, true, []];
const resource = (members: object): object => ({ type: 'resource', resource: { uri: 'file:///b.bin', ...members } });

describe('a resource keeps only the form that it has', () => {
  for (const other of odd) {
    test(`the other one is ${JSON.stringify(other)}`, () => {
      assert.deepEqual(parseContentBlock(resource({ text: other, blob: 'AAEC' })), resource({ blob: 'AAEC' }));
      assert.deepEqual(parseContentBlock(resource({ text: 'words', blob: other })), resource({ text: 'words' }));
      assert.equal(parseContentBlock(resource({ text: other, blob: other }))?.type, 'text');
      const values = [{ value: 'x', name: 'X', options: other }];
      const option = parseConfigOption({ id: 'o', name: 'O', type: 'select', currentValue: 'x', options: values });
      assert.deepEqual(option?.type === 'select' && option.options, [{ value: 'x', name: 'X' }]);
    });
  }
});

for (const WHERE of ['agent_message_chunk', 'agent_thought_chunk', 'user_message_chunk', 'tool_call']) {
  test(`the turn goes on after one in ${WHERE}`, async () => {
    const content = resource({ text: null, blob: 'AAEC' });
    const update =
      WHERE === 'tool_call'
        ? { sessionUpdate: WHERE, toolCallId: 'c', title: 'Fetch', status: 'failed', content: [{ type: 'content', content }] }
        : { sessionUpdate: WHERE, content };
    const env = { UNREADABLE: JSON.stringify(update) };
    const { code, stdout, stderr } = await runHere(place, ['run', ...testAgent('writesBesideMessages'), 'go'], { env });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /hello .*world/s);
  });
}
