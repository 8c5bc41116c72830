import type { Attaching } from '../../core/index.js';
import { removedText } from '../../text/noticeText.js';
import type { ConversationRequest } from '../arguments/request.js';
import { usageError } from '../arguments/usageError.js';
import type { FrontEnd } from '../frontEnds/frontEnd.js';
import { toCliError } from '../output/errorText.js';
import { useEngine } from '../system/engine.js';
import type { Io } from '../system/io.js';
import { Conversation } from './conversation.js';
import { servicesFor } from './services.js';
import type { ConversationTarget } from './target.js';

/** Opens the conversation that the options specify, new or saved. Starts no agent yet. @throws HostError why there is no engine */
export async function openConversation(
  request: ConversationRequest,
  target: ConversationTarget,
  frontEnd: FrontEnd,
  io: Io,
  use: Attaching['use'] = 'once',
): Promise<Conversation> {
  const { sessionId, agent, cwd, conversationId } = target;
  const { output } = frontEnd;
  const engine = await useEngine(
    {
      state: request.state,
      services: servicesFor(request, target, io),
      use,
      onNotice: (notice) => {
        if (notice.type === 'failed') output.error(toCliError(notice.error, frontEnd.agent.label));
        else output.notice({ severity: 'info', code: 'conversations_removed', message: removedText(notice.removed) });
      },
    },
    io,
  );
  const { connection } = engine.client;
  // It would end with this program, and the turn with it.
  if (use === 'share' && 'engine' in connection && connection.engine.pid === process.pid) {
    await engine.end();
    throw usageError('--detach needs a folder in which conversations can be saved. See ACP_HOST_STATE');
  }
  const session = sessionId === undefined ? undefined : { agentId: agent.definition.id, sessionId };
  const id = conversationId ?? (session && (await engine.client.call('find', session)).id);
  const client = engine.client.open({ cwd, id, session });
  return new Conversation({ request, agent, frontEnd, engine, client, env: io.env });
}
