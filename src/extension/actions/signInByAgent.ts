import type { AuthMethod, ConversationClient } from '../../core/index.js';
import { execute } from '../conversation/execute.js';
import { showMessage, showProgress } from '../window/windowMessages.js';

/**
 * Signs in with a method of the agent, which may wait for the user for any time; shows that, and lets the user cancel it. Then sends what is
 * waiting.
 * @throws HostError why the agent did not sign the user in
 */
export async function signInByAgent({ id, name }: AuthMethod, conversation: ConversationClient): Promise<void> {
  const agent = conversation.state.agent?.label ?? 'the agent';
  const outcome = await showProgress(`Signing in to ${agent} with ${name}`, async (report, signal) => {
    report(`Waiting for ${agent}, for example in a browser`);
    signal.addEventListener('abort', () => void conversation.execute({ type: 'cancel_sign_in' }));
    try {
      return (await execute(conversation, { type: 'sign_in', methodId: id })) ? 'signed_in' : 'refused';
    } catch (thrown) {
      if (signal.aborted) return 'canceled';
      throw thrown;
    }
  });
  if (outcome === 'signed_in') await execute(conversation, { type: 'open' });
  if (outcome === 'canceled') await offerRestart(agent, conversation);
}

/** ACP: an agent is free to ignore that its client canceled a request. */
async function offerRestart(agent: string, conversation: ConversationClient): Promise<void> {
  const text = `Sign-in canceled. ${agent} may still be waiting for it. If it stops responding, restart it.`;
  const label = 'Restart';
  if ((await showMessage('information', text, label)) === label) await execute(conversation, { type: 'restart' });
}
