import type { Disposable } from '../base/disposable.js';
import type { Logger } from '../base/logger.js';
import type { ConversationPlace } from '../conversation/ports.js';
import { journalName } from '../journal/journalFiles.js';
import type { JournalStore } from '../journal/journalStore.js';
import { watchFolder } from '../node/folderWatch.js';
import type { SessionState } from '../session/model.js';

/** The pause after each read, as a multiple of the time that it took. */
const restFactor = 4;
const leastRestMs = 50;
const pollMs = 1_000;

export interface FollowParts {
  /** The folder of the journals. */
  readonly directory: string;
  readonly journals: JournalStore;
  readonly place: ConversationPlace;
  /** A running turn is shown as running, because its writer is alive. */
  readonly onState: (state: SessionState) => void;
  readonly log: Logger;
}

/** Reads a journal while another process writes it, until disposed. */
export function followJournal({ directory, journals, place, onState, log }: FollowParts): Disposable {
  const name = journalName(place.agentId, place.sessionId);
  const tail = journals.tail(place.agentId, place.sessionId, { createdAt: place.createdAt });
  let reading: 'idle' | 'reading' | 'again' | 'ended' = 'idle';
  let rest: NodeJS.Timeout | undefined;
  const read = async (): Promise<void> => {
    const startedAt = performance.now();
    try {
      const state = await tail.read();
      if (state !== undefined && !hasEnded()) onState(state);
    } catch (error) {
      log.warn('Could not read what another process saves of a conversation', error);
    }
    rest = setTimeout(onRested, Math.max(leastRestMs, restFactor * (performance.now() - startedAt)));
  };
  const hasEnded = (): boolean => reading === 'ended';
  const onRested = (): void => {
    if (reading === 'again') begin();
    else if (reading === 'reading') reading = 'idle';
  };
  const begin = (): void => {
    reading = 'reading';
    void read();
  };
  const watching = watchFolder({
    directory,
    pollMs,
    growing: () => tail.newestPath,
    onChange(names) {
      if (reading === 'ended' || names?.every((one) => !one.startsWith(name)) === true) return;
      if (reading === 'idle') begin();
      else reading = 'again';
    },
  });
  begin();
  return {
    dispose() {
      reading = 'ended';
      clearTimeout(rest);
      watching.dispose();
    },
  };
}
