import { Conversation } from './conversation.js';
import { useEngine } from '../system/engine.js';
import { toCliError } from '../output/errorText.js';
import { realFolder } from '../system/files.js';
import type { FrontEnd } from '../frontEnds/frontEnd.js';
import type { Attaching, ConversationClient, ConversationListEntry, ConversationState, EngineClient } from '../../core/index.js';
import type { Io } from '../system/io.js';
import { removedText } from '../../text/noticeText.js';
import { findConversation, lastUsed, lastUsedIn } from '../system/openConversations.js';
import type { ChangedRequest, ConversationRequest } from '../arguments/request.js';
import { servicesFor, servicesWhileJoined } from './services.js';
import type { ConversationTarget } from './target.js';
import { usageError } from '../arguments/usageError.js';

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

/**
 * Opens the conversation that the options specify while the work is done. Starts no agent, and what runs in it goes on.
 * @param work gets the state with everything that was saved
 * @throws HostError `usage` for an unknown ID, why there is no engine, and what the work throws
 */
export async function lookAtConversation<T>(
  { id, last, state }: Pick<ChangedRequest, 'id' | 'last' | 'state'>,
  io: Io,
  work: (client: EngineClient, state: ConversationState) => Promise<T>,
): Promise<T> {
  const folder = (await realFolder(process.cwd())) ?? process.cwd();
  let entry: ConversationListEntry | undefined;
  const services = servicesWhileJoined(
    () => entry?.agent?.id,
    () => entry?.cwd ?? folder,
    io,
  );
  const engine = await useEngine({ state, use: 'share', services, onlyReads: true }, io);
  const { client } = engine;
  try {
    entry = id !== undefined ? findConversation(client, id) : last ? lastUsed(client) : lastUsedIn(client, folder);
    const replica = client.open({ cwd: entry.cwd, id: entry.id });
    return await work(client, await restored(client, replica));
  } finally {
    await engine.end();
  }
}

/** Resolves when everything that was saved is known. @throws HostError `usage` if it was deleted, or why the engine is gone */
function restored(client: EngineClient, replica: ConversationClient): Promise<ConversationState> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (replica.state.isRestored) resolve(replica.state);
    };
    replica.onChange(look);
    client.onClosed(() => reject(usageError('The conversation was deleted')));
    client.onConnection((connection) => {
      if (connection.state === 'lost') reject(connection.error);
    });
    look();
  });
}
