/** `acp-host stop`: stops turns, and what goes on after them. */
import type { ConversationListEntry, EngineClient } from '../../core/index.js';
import { HostError } from '../../core/index.js';
import { usageError } from '../arguments/optionValues.js';
import type { RequestOf } from '../arguments/parseArguments.js';
import { askEngine } from '../system/engine.js';
import type { Io } from '../system/io.js';
import { findConversation, isActive, shownIds } from '../system/conversations.js';

/** @throws HostError `usage` for an unknown ID, or why a turn can't be stopped */
export async function stopTurns({ id, state }: RequestOf<'stop'>, io: Io): Promise<void> {
  const stopped = await askEngine(state, io, async (client) => {
    if (client === undefined && id !== undefined) throw usageError(`Nothing runs, so there is nothing to stop in "${id}"`);
    try {
      return client === undefined ? [] : await stopIn(client, id);
    } finally {
      await client?.leave();
    }
  });
  io.stdout.write(stopped.length === 0 ? 'Nothing runs.\n' : stopped.map((one) => `Stopped ${shownIds(stopped)(one)}\n`).join(''));
}

/** @returns those in which something ran */
async function stopIn(client: EngineClient, id: string | undefined): Promise<readonly ConversationListEntry[]> {
  const chosen = id === undefined ? client.list.state.conversations : [findConversation(client, id)];
  const active = chosen.filter(isActive);
  for (const one of active) {
    const result = await client.call('execute', { id: one.id, command: { type: 'cancel', scope: 'everything' } });
    if (!result.ok) throw HostError.from(result.error);
  }
  await Promise.all(active.map((one) => untilStopped(client, one.id)));
  return active;
}

function untilStopped(client: EngineClient, id: string): Promise<void> {
  const { list } = client;
  // Not everything that goes on after a turn can be stopped.
  const isOver = (): boolean => !list.state.conversations.some((one) => one.id === id && isActive({ ...one, worksLate: undefined }));
  return new Promise((resolve) => {
    if (isOver()) return resolve();
    list.onChange(() => isOver() && resolve());
    // An engine that nobody else uses ends with its last turn.
    client.onConnection(({ state }) => state === 'lost' && resolve());
  });
}
