import { type AgentHost, Conversations, connectDirectly, Redactor } from '../../core/index.js';
import { removedText } from '../../text/noticeText.js';
import type { ConversationRequest } from '../arguments/request.js';
import type { FrontEnd } from '../frontEnds/frontEnd.js';
import { toCliError } from '../output/errorText.js';
import type { Io } from '../system/io.js';
import { openStore } from '../system/saved.js';
import { Conversation } from './conversation.js';
import { createPorts } from './ports.js';
import type { ConversationTarget } from './target.js';

/** Opens the conversation that the options specify, new or saved. Starts no agent yet. */
export async function openConversation(
  request: ConversationRequest,
  target: ConversationTarget,
  frontEnd: FrontEnd,
  io: Io,
): Promise<Conversation> {
  const { sessionId, createdAt, agent, cwd, conversationId } = target;
  const { output } = frontEnd;
  const redactor = new Redactor();
  const store = openStore(request.state, io, redactor, {
    onError: (error) => output.error(toCliError(error.toData(), frontEnd.agent.label)),
    onRemoved: (removed) => output.notice({ severity: 'info', code: 'conversations_removed', message: removedText(removed) }),
  });
  let host: AgentHost | undefined;
  const conversations = new Conversations(
    (id) => createPorts(id, { request, target, store, redactor, io, onHost: (created) => (host = created) }),
    store,
  );
  const client = connectDirectly(conversations.open({ cwd, ...(conversationId !== undefined && { id: conversationId }) }));
  const conversation = new Conversation({
    request,
    target,
    frontEnd,
    conversations,
    store,
    client,
    env: io.env,
    lastStderrLine: () => host?.stderrTail(1) ?? '',
  });
  if (sessionId !== undefined) {
    await client.execute({ type: 'open_earlier', key: { agentId: agent.definition.id, sessionId, createdAt } });
  }
  return conversation;
}
