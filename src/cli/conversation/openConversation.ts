import { Conversations, connectDirectly } from '../../core/index.js';
import type { ConversationRequest } from '../arguments/request.js';
import type { FrontEnd } from '../frontEnds/frontEnd.js';
import type { Io } from '../system/io.js';
import { Conversation } from './conversation.js';
import { createPorts } from './ports.js';
import type { ConversationTarget } from './target.js';

/** The conversation that the options name, new or saved. Starts no agent yet. */
export async function openConversation(
  request: ConversationRequest,
  target: ConversationTarget,
  frontEnd: FrontEnd,
  io: Io,
): Promise<Conversation> {
  const { sessionId, createdAt, agent, cwd } = target;
  const conversations = new Conversations(() => createPorts(request, target, frontEnd.output, io));
  const client = connectDirectly(conversations.open({ cwd }));
  const conversation = new Conversation({ request, target, frontEnd, conversations, client });
  if (sessionId !== undefined) {
    await client.execute({ type: 'open_earlier', key: { agentId: agent.definition.id, sessionId, createdAt } });
  }
  return conversation;
}
