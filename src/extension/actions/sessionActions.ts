/** Actions on a session of an agent that is no conversation: a row of the Conversations view. */
import { type AgentSessionChange, type EngineClient, HostError } from '../../core/index.js';
import type { Action } from '../../contract/actions.js';
import type { ChatPages } from '../chat/chatPages.js';
import { execute } from '../conversation/execute.js';
import type { OpenConversations } from '../conversation/openConversations.js';
import { sessionRow } from '../list/listRow.js';
import type { OtherSessions, SessionNode } from '../list/otherSessions.js';
import { confirm } from '../window/windowMessages.js';
import { naming } from './namedFailure.js';
import { askText } from './pickers.js';

export type SessionAction = Extract<
  Action,
  | 'openAgentSession'
  | 'forkAgentSession'
  | 'renameAgentSession'
  | 'deleteAgentSession'
  | 'loadMoreAgentSessions'
  | 'refreshAgentSessions'
  | 'signInForSessions'
>;

/** Returns what a key of the Conversations view does with a session, where it does something similar with a conversation. */
export function actionOfSession(action: Action): SessionAction | undefined {
  switch (action) {
    case 'renameConversation':
      return 'renameAgentSession';
    case 'deleteConversation':
      return 'deleteAgentSession';
    case 'openConversationInEditor':
      return 'openAgentSession';
    default:
      return undefined;
  }
}

export interface SessionActionParts {
  readonly conversations: Pick<OpenConversations, 'open' | 'openSession' | 'folderAt'>;
  readonly pages: Pick<ChatPages, 'focus'>;
  readonly engine: Pick<EngineClient, 'call'>;
  readonly others: Pick<OtherSessions, 'agentOf' | 'find' | 'showMore' | 'reload'>;
}

/** The functions get the id of the row. */
export function createSessionActions({ conversations, pages, engine, others }: SessionActionParts): {
  readonly [A in SessionAction]: (id?: string) => void | Promise<void>;
} {
  const onSession = async (id: string | undefined, work: (node: SessionNode, name: string) => Promise<void>): Promise<void> => {
    const node = others.find(id);
    if (node === undefined) return;
    const { name } = sessionRow(node, Date.now());
    await naming(name, () => work(node, name));
  };
  const open = async ({ cwd, agent }: SessionNode, sessionId: string): Promise<void> => {
    const entry = await conversations.openSession(conversations.folderAt(cwd), { agentId: agent.id, sessionId });
    await pages.focus(entry, 'composer');
    await execute(entry.conversation, { type: 'open' });
  };
  const change = ({ cwd, agent, session: { sessionId } }: SessionNode, what: AgentSessionChange) =>
    engine.call('change_agent_session', { cwd, agentId: agent.id, sessionId, change: what });

  return {
    openAgentSession: (id) => onSession(id, (node) => open(node, node.session.sessionId)),
    forkAgentSession: (id) =>
      onSession(id, async (node) => {
        const { forked } = await change(node, { type: 'fork' });
        others.reload(node.id);
        if (forked !== undefined) await open(node, forked);
      }),
    renameAgentSession: (id) =>
      onSession(id, async (node, name) => {
        // A key knows nothing of the row.
        if (!node.offers.includes('rename')) throw new HostError('unsupported', { reason: 'session_rename', agent: node.agent.label });
        const title = await askText('Rename Session', `The name that ${node.agent.label} gives it`, node.session.title ?? name);
        if (title === undefined) return;
        await change(node, { type: 'rename', title: title.trim() });
        others.reload(node.id);
      }),
    deleteAgentSession: (id) =>
      onSession(id, async (node, name) => {
        const { label } = node.agent;
        if (!node.offers.includes('delete')) throw new HostError('unsupported', { reason: 'session_delete', agent: label });
        if (!(await confirm(`Delete "${name}" of ${label}?`, `${label} deletes it permanently. This cannot be undone.`, 'Delete'))) return;
        await change(node, { type: 'delete' });
        others.reload(node.id);
      }),
    loadMoreAgentSessions: (id) => others.showMore(id),
    refreshAgentSessions: (id) => others.reload(id),
    /** In a new conversation, because its page offers the ways to sign in. */
    async signInForSessions(id) {
      const of = others.agentOf(id);
      if (of === undefined) return;
      const entry = conversations.open(conversations.folderAt(of.cwd), { agentId: of.agent.id });
      await pages.focus(entry, 'composer');
      if (await execute(entry.conversation, { type: 'open' })) others.reload(id);
    },
  };
}
