/** Actions that start, stop or check the agent of a conversation. */
import { execute } from '../conversation/execute.js';
import { mayPrepare } from '../conversation/mayPrepare.js';
import { isTrusted } from '../window/trust.js';
import type { ActionScope } from './actionScope.js';

export function createAgentActions({ parts, current, run }: ActionScope) {
  const { agents } = parts;
  return {
    stop: (): Promise<void> => run({ type: 'cancel', scope: 'everything' }),
    forceStop: (): Promise<void> => run({ type: 'force_stop' }),
    retryNow: (): Promise<void> => run({ type: 'retry_now' }),
    restartAgent: (): Promise<void> => run({ type: 'restart' }),
    async checkAgain(): Promise<void> {
      const { conversation } = current();
      await agents.baseEnv();
      await execute(conversation, { type: 'refresh_agent' });
      if (conversation.state.outbox.length > 0) await execute(conversation, { type: 'retry' });
    },
  };
}

/** What happens when the user is about to write or begins to write, without an action of the user. */
export function createComposingActions({ parts, target }: ActionScope) {
  const { agents } = parts;
  return {
    /** The user is about to write, so this starts the agent before there is something to send. */
    async prepareAgent(): Promise<void> {
      const conversation = target()?.conversation;
      if (
        conversation !== undefined &&
        agents.settings().startWhenComposing &&
        isTrusted() &&
        mayPrepare(conversation.state, parts.wasUsed)
      )
        await execute(conversation, { type: 'open' });
    },
    /** The user has begun to write, so this determines the agent, even if that means asking the login shell. */
    async lookForAgent(): Promise<void> {
      const before = agents.knownEnv();
      const conversation = target()?.conversation;
      if ((await agents.baseEnv()) !== before && conversation !== undefined) await execute(conversation, { type: 'refresh_agent' });
    },
  };
}
