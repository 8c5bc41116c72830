/** Signing in with a method of the agent, which may wait indefinitely for the user. */
import assert from 'node:assert/strict';
import { watch } from 'node:fs/promises';
import { it } from 'node:test';
import type { CommandResult, ConversationClient } from '../../../src/core/index.js';
import { openFrontEnd, overEachLine, run, said, say, settled, textIn } from './frontEnd.js';

const codeOf = (result: CommandResult): string | undefined => (result.ok ? undefined : result.error.code);
const signIn = (conversation: ConversationClient, methodId: string): Promise<CommandResult> =>
  conversation.execute({ type: 'sign_in', methodId });

/** Runs the action, and resolves when the agent waits for the user. */
async function waits(folder: string, act: () => Promise<CommandResult>): Promise<{ readonly result: Promise<CommandResult> }> {
  const changes = watch(folder);
  const result = act();
  for await (const { filename } of changes) if (filename === 'waiting') break;
  return { result };
}

overEachLine('signing in', (line) => {
  it('the prompt that needed it is sent afterwards', async (t) => {
    const conversation = await (await openFrontEnd(t, line, { env: { OBEDIENT_SIGNED_OUT: '1' } })).open();
    await say(conversation, 'say hi');
    assert.equal(conversation.state.blocker?.type, 'sign_in');
    assert.equal(conversation.state.outbox.length, 1);
    await run(conversation, { type: 'sign_in', methodId: 'in' });
    await settled(conversation, { type: 'open' });
    assert.deepEqual(said(conversation.state), ['user: say hi', 'agent: hi', 'end ended']);
    assert.equal(conversation.state.blocker, undefined);
  });

  it('the prompt that needed it is still there for the next front end', async (t) => {
    const frontEnd = await openFrontEnd(t, line, { env: { OBEDIENT_SIGNED_OUT: 'at the prompt' } });
    const conversation = await frontEnd.open();
    await say(conversation, 'say hi');
    assert.deepEqual([conversation.state.blocker?.type, conversation.state.outbox.length], ['sign_in', 1]);
    await frontEnd.reopen();
    assert.deepEqual(
      (await frontEnd.open()).state.outbox.map(({ content }) => textIn(content)),
      ['say hi'],
    );
  });

  it('canceling tells the agent, and the user can sign in again', async (t) => {
    const frontEnd = await openFrontEnd(t, line, { agent: 'waitsForSignIn' });
    const conversation = await frontEnd.open();
    await say(conversation, 'hi');
    const { result } = await waits(frontEnd.folder, () => signIn(conversation, 'browser'));
    await run(conversation, { type: 'cancel_sign_in' });
    assert.equal(codeOf(await result), 'cancelled');
    assert.deepEqual([conversation.state.blocker?.type, conversation.state.outbox.length], ['sign_in', 1]);
    await run(conversation, { type: 'sign_in', methodId: 'browser' });
    await settled(conversation, { type: 'open' });
    assert.deepEqual(said(conversation.state), ['user: hi', 'agent: in', 'end ended']);
  });

  it('another attempt replaces the one that waits', async (t) => {
    const frontEnd = await openFrontEnd(t, line, { agent: 'waitsForSignIn' });
    const conversation = await frontEnd.open();
    await say(conversation, 'hi');
    const { result } = await waits(frontEnd.folder, () => signIn(conversation, 'browser'));
    await run(conversation, { type: 'sign_in', methodId: 'browser' });
    assert.equal(codeOf(await result), 'cancelled');
  });

  for (const command of [{ type: 'restart' }, { type: 'force_stop' }, { type: 'change_agent' }] as const)
    it(`${command.type} cancels it`, async (t) => {
      const conversation = await (await openFrontEnd(t, line, { agent: 'waitsForSignIn' })).open();
      await say(conversation, 'hi');
      const waiting = signIn(conversation, 'browser');
      await conversation.execute(command);
      assert.equal(codeOf(await waiting), 'cancelled');
    });
});
