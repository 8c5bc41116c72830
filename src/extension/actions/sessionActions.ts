/** Actions on sessions: on one of an agent that is no conversation, and on the options of the one in the conversation. */
import type { Action } from '../../contract/actions.js';
import { type ActionScope, naming } from './actionScope.js';
import { agentLabel } from '../chat/headerView.js';
import { type AgentSessionChange, choicesOf, HostError, neverAsks } from '../../core/index.js';
import { sessionRow } from '../list/listRow.js';
import { execute } from '../conversation/openConversations.js';
import type { SessionNode } from '../list/otherSessions.js';
import { askOption, askText, pickOption } from './pickers.js';
import { otherValue, type SelectorView } from '../../contract/view.js';
import { showMessage } from '../window/windowMessages.js';

type SessionAction = keyof ReturnType<typeof createSessionActions>;

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

/** The functions get the id of the row. */
export function createSessionActions({ parts: { conversations, pages, engine, others }, confirm }: ActionScope) {
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
    openAgentSession: (id?: string) => onSession(id, (node) => open(node, node.session.sessionId)),
    forkAgentSession: (id?: string) =>
      onSession(id, async (node) => {
        const { forked } = await change(node, { type: 'fork' });
        others.reload(node.id);
        if (forked !== undefined) await open(node, forked);
      }),
    renameAgentSession: (id?: string) =>
      onSession(id, async (node, name) => {
        // A key knows nothing of the row.
        if (!node.offers.includes('rename')) throw new HostError('unsupported', { reason: 'session_rename', agent: node.agent.label });
        const title = await askText('Rename Session', `The name that ${node.agent.label} gives it`, node.session.title ?? name);
        if (title === undefined) return;
        await change(node, { type: 'rename', title: title.trim() });
        others.reload(node.id);
      }),
    deleteAgentSession: (id?: string) =>
      onSession(id, async (node, name) => {
        const { label } = node.agent;
        if (!node.offers.includes('delete')) throw new HostError('unsupported', { reason: 'session_delete', agent: label });
        if (!(await confirm(`Delete "${name}" of ${label}?`, `${label} deletes it permanently. This cannot be undone.`, 'Delete'))) return;
        await change(node, { type: 'delete' });
        others.reload(node.id);
      }),
    loadMoreAgentSessions: (id?: string) => others.showMore(id),
    refreshAgentSessions: (id?: string) => others.reload(id),
    /** In a new conversation, because its page offers the ways to sign in. */
    async signInForSessions(id?: string): Promise<void> {
      const of = others.agentOf(id);
      if (of === undefined) return;
      const entry = conversations.open(conversations.folderAt(of.cwd), { agentId: of.agent.id });
      await pages.focus(entry, 'composer');
      if (await execute(entry.conversation, { type: 'open' })) others.reload(id);
    },
  };
}

/** These open the session first. */
export function createOptionActions(scope: ActionScope) {
  return {
    setOption: (optionId: string, value: string | boolean): Promise<void> => setOption(scope, optionId, value),
    selectMode: (): Promise<void> => choose(scope, 'mode'),
    selectModel: (): Promise<void> => choose(scope, 'model'),
  };
}

/** @param value `otherValue` asks the user for one */
async function setOption({ ask, confirm, current, parts, source }: ActionScope, optionId: string, value: string | boolean): Promise<void> {
  const { conversation, folder } = current();
  if (!(await execute(conversation, { type: 'open' }))) return;
  const option = conversation.state.session?.options.find(({ id }) => id === optionId);
  const chosen = value === otherValue && option?.type === 'select' ? await ask(() => askOption(option)) : value;
  if (chosen === undefined) return;
  const mode = option?.category === 'mode' ? option : undefined;
  const choice = mode?.type === 'select' ? choicesOf(mode).find((one) => one.value === chosen) : undefined;
  if (choice !== undefined && neverAsks(choice) && !parts.memory.mayActUnasked(folder.path)) {
    const detail = `In the mode "${choice.name}", it changes files and runs commands without asking you. You are asked this once for each folder.`;
    const question = `Let ${agentLabel(conversation.state)} work in "${folder.name}" without asking?`;
    if (!(await confirm(question, detail, 'Never Ask'))) return source().refresh();
    parts.memory.allowUnasked(folder.path);
  }
  await execute(conversation, { type: 'set_option', optionId, value: chosen });
}

async function choose(scope: ActionScope, category: SelectorView['category']): Promise<void> {
  const { parts, target, current, source } = scope;
  if (!(await execute(current().conversation, { type: 'open' }))) return parts.pages.focus(target(), 'composer');
  const selector = source()
    .view()
    .composer.selectors.find((one) => one.category === category);
  if (selector === undefined) {
    // Not awaited, because the message may stay open for any time.
    void showMessage('information', `${agentLabel(current().conversation.state)} doesn't offer a choice of ${category}`);
    return;
  }
  const value = await scope.ask(() => pickOption(selector));
  if (value !== undefined) await setOption(scope, selector.id, value);
}
