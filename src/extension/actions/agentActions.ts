/** Actions that start, stop or check the agent of a conversation. */
import { HostError } from '../../core/index.js';
import { findItem } from '../chat/transcript.js';
import { execute, mayPrepare } from '../conversation/openConversations.js';
import { isTrusted } from '../window/workspace.js';
import { showBriefly, showMessage } from '../window/windowMessages.js';
import type { ActionScope } from './actionScope.js';
import { mayEndAgent } from './endingAgent.js';

export function createAgentActions(scope: ActionScope) {
  const { current, run, parts } = scope;
  const { agents } = parts;
  return {
    stop: (): Promise<void> => run({ type: 'cancel', scope: 'everything' }),
    async stopSubagent(itemId = ''): Promise<void> {
      const item = findItem(current().conversation.state, itemId);
      if (item?.kind === 'subagent') await run({ type: 'stop_subagent', subagentId: item.agentId });
    },
    async forceStop(): Promise<void> {
      if (await mayEndAgent(scope, 'Force Stop')) await run({ type: 'force_stop' });
    },
    retryNow: (): Promise<void> => run({ type: 'retry_now' }),
    async restartAgent(): Promise<void> {
      if (await mayEndAgent(scope, 'Restart')) await run({ type: 'restart' });
    },
    async chooseMcpServers(): Promise<void> {
      const { folder, conversation } = current();
      if (!isTrusted()) throw new HostError('untrusted');
      const result = await agents.folderServers.chooseAgain(folder.path);
      if (result === 'none') showBriefly('This folder has no .vscode/mcp.json or .mcp.json with MCP servers that can be used');
      if (result !== 'changed') return;
      if (conversation.state.status.state === 'stopped') return showBriefly('Your choice applies when the agent starts');
      const label = conversation.state.agent?.label ?? 'the agent';
      const answer = await showMessage('information', `Your choice of MCP servers applies when ${label} restarts.`, 'Restart Agent');
      if (answer !== undefined) await this.restartAgent();
    },
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
