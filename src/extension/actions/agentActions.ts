/** Actions that start, stop or check the agent of a conversation. */
import {
  type ConversationListEntry,
  type ConversationState,
  HostError,
  lateWorkIn,
  workBesideTurn,
  isInTurn,
  runsTurn,
} from '../../core/index.js';
import { lateLossText } from '../../text/workText.js';
import type { AgentSources } from '../agent/agentChoice.js';
import { findItem } from '../chat/transcript.js';
import { execute, mayPrepare, type OpenConversation, type OpenConversations } from '../conversation/openConversations.js';
import { nameIn } from '../list/listRow.js';
import { showBriefly, showMessage } from '../window/windowMessages.js';
import { isTrusted } from '../window/workspace.js';
import type { ActionScope } from './actionScope.js';

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
      // The chat says it, too, but it may be hidden.
      if (!isTrusted()) throw new HostError('untrusted');
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
    prepareAgent: (): Promise<void> => prepareAgent(agents, target(), (agentId) => parts.engine.facts.state.agents[agentId] !== undefined),
    /** The user has begun to write, so this determines the agent, even if that means asking the login shell. */
    async lookForAgent(): Promise<void> {
      const before = agents.knownEnv();
      const conversation = target()?.conversation;
      if ((await agents.baseEnv()) !== before && conversation !== undefined) await execute(conversation, { type: 'refresh_agent' });
    },
  };
}

/** Opens a session before there is something to send, so that its options are there. */
export async function prepareAgent(
  agents: Pick<AgentSources, 'settings'>,
  entry: OpenConversation | undefined,
  mayStart: (agentId: string) => boolean,
): Promise<void> {
  if (entry === undefined || !agents.settings().startWhenComposing || !isTrusted()) return;
  if (mayPrepare(entry.conversation.state, mayStart)) await execute(entry.conversation, { type: 'open' });
}

// Before the process of an agent ends, the user decides about what ends with it.

type EndingScope = Pick<ActionScope, 'current' | 'confirm'> & {
  readonly parts: { readonly conversations: Pick<OpenConversations, 'list' | 'get'> };
};

/**
 * Asks if something of the agent runs that the user did not mean to end: in other conversations, or beside the turn of this one.
 * @param verb of the question and its button, e.g. "Restart"
 * @returns whether the process may end
 */
export async function mayEndAgent({ parts, current, confirm }: EndingScope, verb: string): Promise<boolean> {
  const here = current();
  const { session, live, agent } = here.conversation.state;
  const late = live && session !== undefined ? workBesideTurn(session) : [];
  const names = othersAtWork(parts.conversations, here).map((other) => `"${nameIn(other)}"`);
  if (late.length === 0 && names.length === 0) return true;
  const detail = [
    ...(late.length === 0 ? [] : [lateLossText(late)]),
    ...(names.length === 0 ? [] : [`What runs in other conversations is interrupted: ${names.join(', ')}.`]),
  ].join(' ');
  return confirm(`${verb} ${agent?.label ?? 'the agent'}?`, detail, verb);
}

/** Returns the other conversations in which something of the same agent runs, also those that this window has not opened. */
function othersAtWork(
  conversations: Pick<OpenConversations, 'list' | 'get'>,
  { folder, conversation, id }: OpenConversation,
): readonly ConversationListEntry[] {
  const agentId = conversation.state.agent?.id;
  return conversations.list.filter((entry) => {
    const isSameAgent = entry.cwd === folder.path && entry.agent?.id === agentId;
    return entry.id !== id && isSameAgent && works(entry, conversations.get(entry.id)?.conversation.state);
  });
}

/** @param open its state if this window has it open, which is newer than the row */
function works(entry: ConversationListEntry, open: ConversationState | undefined): boolean {
  if (open === undefined) return runsTurn(entry) || entry.worksLate === true;
  return isInTurn(open) || lateWorkIn(open).length > 0;
}
