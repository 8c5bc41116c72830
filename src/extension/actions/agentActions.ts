/** Actions that start, stop or check the agent of a conversation. */
import { HostError, lateWorkIn } from '../../core/index.js';
import { lateLossText } from '../../text/lateWorkText.js';
import { findItem } from '../chat/transcript.js';
import { execute, mayPrepare, type OpenConversation, type OpenConversations } from '../conversation/openConversations.js';
import { isTrusted } from '../window/workspace.js';
import { showBriefly, showMessage } from '../window/windowMessages.js';
import { nameIn } from '../list/listRow.js';
import type { ActionScope } from './actionScope.js';

export function createAgentActions({ parts, current, run, confirm }: ActionScope) {
  const { agents } = parts;
  return {
    stop: (): Promise<void> => run({ type: 'cancel', scope: 'everything' }),
    async stopSubagent(itemId = ''): Promise<void> {
      const item = findItem(current().conversation.state, itemId);
      if (item?.kind === 'subagent') await run({ type: 'stop_subagent', subagentId: item.agentId });
    },
    forceStop: (): Promise<void> => run({ type: 'force_stop' }),
    retryNow: (): Promise<void> => run({ type: 'retry_now' }),
    async restartAgent(): Promise<void> {
      const others = othersAtWork(parts.conversations, current());
      const late = lateWorkIn(current().conversation.state);
      if (others.length > 0 || late.length > 0) {
        const names = others
          .map(({ id }) => parts.conversations.listed(id))
          .flatMap((listed) => (listed === undefined ? [] : `"${nameIn(listed)}"`));
        const detail = [
          ...(late.length === 0 ? [] : [lateLossText(late)]),
          ...(names.length === 0 ? [] : [`What runs in other conversations is interrupted: ${names.join(', ')}.`]),
        ].join(' ');
        const label = current().conversation.state.agent?.label ?? 'the agent';
        if (!(await confirm(`Restart ${label}?`, detail, 'Restart'))) return;
      }
      await run({ type: 'restart' });
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

/** Returns the other conversations in which something of the same agent runs. */
function othersAtWork({ all }: OpenConversations, { folder, conversation, id }: OpenConversation): readonly OpenConversation[] {
  const agentId = conversation.state.agent?.id;
  return all.filter((entry) => {
    const { agent, session } = entry.conversation.state;
    const isSameAgent = entry.folder.path === folder.path && agent?.id === agentId;
    const works = (session !== undefined && session.turn.type !== 'idle') || lateWorkIn(entry.conversation.state).length > 0;
    return entry.id !== id && isSameAgent && works;
  });
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
