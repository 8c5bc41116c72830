/** A sign-in by the agent is shown as long as the agent waits, and can be canceled. The editor is a fake. */
import assert from 'node:assert/strict';
import { beforeEach, test, type TestContext } from 'node:test';
import type { AuthMethod, ConversationClient } from '../../src/core/index.js';
import { reached, said, say } from '../core/conversation/frontEnd.js';
import { editor } from '../fakes/vscodeFake.js';
import { openWindow } from './openWindow.js';
import { offerToForget, signInByAgent } from '../../src/extension/actions/accessActions.js';

beforeEach(() => Object.assign(editor, { answer: undefined, shown: [], cancelProgress: undefined }));

async function open(t: TestContext, agent: string, env = {}) {
  const { lab, conversations, folder } = await openWindow(t, { agent, env });
  const { conversation } = conversations.open(folder);
  await say(conversation, 'say hi');
  assert.equal(conversation.state.blocker?.type, 'sign_in');
  return { lab, conversation };
}
const methodOf = ({ state }: ConversationClient): AuthMethod => state.info?.authMethods[0] ?? assert.fail('no way to sign in');
const texts = (): readonly string[] => editor.shown.map(({ text }) => text);

test('a queued message is sent after the sign-in', async (t) => {
  const { conversation } = await open(t, 'obedient', { OBEDIENT_SIGNED_OUT: '1' });
  await signInByAgent(methodOf(conversation), conversation, async () => true);
  await reached(conversation, ({ session, sending }) => sending === undefined && session?.items.at(-1)?.kind === 'turn_end');
  assert.deepEqual(said(conversation.state), ['user: say hi', 'agent: hi', 'end ended']);
});

test('an agent that reads who is signed in only when it starts is restarted, and gets what was sent', async (t) => {
  const { lab, conversation } = await open(t, 'knowsItsUserAtStart');
  await signInByAgent(methodOf(conversation), conversation, async () => true);
  await reached(conversation, ({ session, sending }) => sending === undefined && session?.items.at(-1)?.kind === 'turn_end');
  assert.deepEqual([said(conversation.state), lab.started], [['user: say hi', 'agent: in', 'end ended'], 2]);
});

test('while the agent waits, its name and method are shown, and Cancel ends the wait', async (t) => {
  const { conversation } = await open(t, 'waitsForSignIn');
  const signingIn = signInByAgent(methodOf(conversation), conversation, async () => true);
  assert.deepEqual(texts(), ['Signing in to Obedient with Browser: Waiting for Obedient, for example in a browser']);
  assert.ok(editor.cancelProgress);
  editor.cancelProgress();
  await signingIn;
  assert.match(texts()[1] ?? '', /^Sign-in canceled\. Obedient may still be waiting/);
  assert.deepEqual([conversation.state.blocker?.type, conversation.state.outbox.length], ['sign_in', 1]);
});

test('after a cancel, a restart of the agent is offered', async (t) => {
  const { lab, conversation } = await open(t, 'waitsForSignIn');
  const signingIn = signInByAgent(methodOf(conversation), conversation, async () => true);
  editor.answer = 'Restart';
  editor.cancelProgress?.();
  await signingIn;
  assert.equal(lab.started, 2);
});

test('after a sign-out, the key of the agent is removed only if the user wants that', async () => {
  const keys = new Map([['OPENAI', 'sk']]);
  const agents = {
    settings: () => ({ agentSettings: new Map([['agentao', { path: '', provider: 'openai', baseUrl: '', model: '', format: '' }]]) }),
    apiKeys: {
      read: (provider: string) => Promise.resolve(keys.get(provider)),
      write: () => Promise.resolve(),
      remove: async (provider: string) => void keys.delete(provider),
    },
  };
  const agent = { id: 'agentao', label: 'agentao', isFallback: false } as const;
  await offerToForget(agent, agents);
  assert.equal(keys.size, 1);
  editor.answer = 'Remove Key';
  await offerToForget(agent, agents);
  assert.equal(keys.size, 0);
});
