import type { ConversationClient, ConversationListEntry, ConversationState, EngineClient } from '../../core/index.js';
import type { ChangedRequest } from '../arguments/request.js';
import { usageError } from '../arguments/usageError.js';
import { useEngine } from '../system/engine.js';
import { realFolder } from '../system/files.js';
import type { Io } from '../system/io.js';
import { findConversation, lastUsed, lastUsedIn } from '../system/openConversations.js';
import { servicesWhileJoined } from './services.js';

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
