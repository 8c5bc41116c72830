import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launch, rejects } from './launch.js';
import { errorCause } from '../../../src/text/errorCause.js';
import { describeError } from '../../../src/text/errorText.js';

test('a program that prints text instead of messages is recognized by its first line, long before the deadline', async (t) => {
  const program = await launch(t, 'isNoAgent');
  const error = await rejects(program.start(), 'handshake_failed');
  assert.match(
    errorCause(error.toData(), 'It'),
    /printed 1000 lines of text and no message\. On stdout, where only messages belong, it printed "[^"]*Welcome[^"]*"/,
  );
  assert.doesNotMatch(JSON.stringify(error.toData()), /secret_0123456789|\\u001b/);
  assert.match(String(error.params['firstNoise']), /Welcome.* to line 1, key/);
  assert.deepEqual(await program.processes(), []);
});

test('a program that prints one line and then nothing is recognized by that line', async (t) => {
  const program = await launch(t, 'isNoAgent', ['1'], { deadlines: { initializeMs: 3_000, sessionMs: 20_000, queryMs: 20_000 } });
  const error = await rejects(program.start(), 'handshake_timeout');
  assert.match(String(error.params['firstNoise']), /to line 1,/);
});

for (const [what, answer, misfit, words] of [
  [
    'an answer with another ID',
    '{"jsonrpc":"2.0","id":"$ID","result":{"protocolVersion":1}}\n',
    'foreign_id',
    /ID of no request.*"id":"0"/,
  ],
  ['a batch', '[{"jsonrpc":"2.0","id":$ID,"result":{"protocolVersion":1}}]\n', 'batch', /a batch of messages.*\[\{"jsonrpc"/],
  ['JSON that is not a message', '{"level":"info","key":"sk-secret_0123456789"}\n', 'no_message', /not a message of the protocol.*"level"/],
  [
    'a message without a line break',
    '{"jsonrpc":"2.0","id":$ID,"result":{"protocolVersion":1}}',
    'unfinished',
    /without a line break.*"id":0/,
  ],
] as const)
  test(`an agent that sends ${what} is told so`, async (t) => {
    const deadlines = { initializeMs: 3_000, sessionMs: 20_000, queryMs: 20_000 };
    const program = await launch(t, 'answersByScript', [JSON.stringify([answer])], { deadlines });
    const error = await rejects(program.start(), 'handshake_timeout');
    assert.equal(error.params['misfit'], misfit);
    assert.match(errorCause(error.toData(), 'It'), words);
    assert.match(describeError(error.toData(), { agent: 'It' }).text, words);
    assert.doesNotMatch(JSON.stringify(error.toData()), /secret_0123456789/);
  });

test('a program that prints text is recognized by its first line, also while it prints another one', async (t) => {
  const deadlines = { initializeMs: 3_000, sessionMs: 20_000, queryMs: 20_000 };
  const program = await launch(t, 'answersByScript', [JSON.stringify(['Welcome\nLoading the mod'])], { deadlines });
  const error = await rejects(program.start(), 'handshake_timeout');
  assert.match(describeError(error.toData(), { agent: 'It' }).text, /printed "Welcome" instead/);
});
