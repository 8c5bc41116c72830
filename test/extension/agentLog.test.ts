/** Errors refer users to the log of the window, which contains what their texts promise. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { type HostErrorData, nullLogger } from '../../src/core/index.js';
import { describeError } from '../../src/text/errorText.js';
import { say } from '../core/conversation/frontEnd.js';
import { openWindow, type WindowOptions } from './openWindow.js';

/** @returns what the log contains after a message was sent, and the error that the chat shows */
async function logOf(t: TestContext, words: string, options: WindowOptions): Promise<{ log: string; error: HostErrorData | undefined }> {
  const lines: string[] = [];
  const keep = (message: string): void => void lines.push(message);
  const { conversations, folder } = await openWindow(t, { ...options, log: { ...nullLogger, error: keep, warn: keep } });
  const { conversation } = conversations.open(folder);
  await say(conversation, words);
  const { session, blocker } = conversation.state;
  const last = session?.items.findLast((item) => item.kind === 'turn_end');
  const outcome = last?.kind === 'turn_end' ? last.outcome : undefined;
  return { log: lines.join('\n'), error: outcome !== undefined && 'error' in outcome ? outcome.error : blocker?.error };
}

test('an invalid response is logged with its method and location', async (t) => {
  const { log, error } = await logOf(t, 'go', { agent: 'misshapesResults', args: ['session/prompt', '"no"'] });
  assert.ok(error);
  assert.match(describeError(error, { agent: 'It' }).text, /see the log for details/);
  assert.match(log, /turn failed: invalid_response\n.*session\/prompt/);
});

test('for a failed agent, its last stderr lines are logged', async (t) => {
  const { log } = await logOf(t, 'go', { agent: 'asksOnStderr' });
  assert.match(log, /turn failed: [\s\S]*first line\nEnter the passphrase/);
});

test('for an agent that does not start, its output is logged, as the error says', async (t) => {
  const { log } = await logOf(t, 'go', { agent: 'isNoAgent' });
  assert.match(log, /Obedient failed: handshake_/);
});

test('for a turn without a reply, the stderr of the agent is logged', async (t) => {
  const { log } = await logOf(t, 'nothing', {});
  assert.match(log, /A turn ended without a reply\n.*the reason is on stderr/);
});
