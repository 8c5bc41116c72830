import { joinChunks } from '../session/eventBatcher.js';
import type { SessionEvent } from '../session/event.js';
import type { ConversationEvent } from './events.js';

/** Joins what follows in the same session, and of a fact that changed several times in a row keeps the last value. Leads to the same state. */
export function joinEvents(events: readonly ConversationEvent[]): readonly ConversationEvent[] {
  const joined: ConversationEvent[] = [];
  let session: SessionEvent[] | undefined;
  const endSession = (): void => {
    if (session !== undefined) joined.push({ type: 'session', events: joinChunks(session) });
    session = undefined;
  };
  for (const event of events) {
    if (event.type === 'session') {
      session ??= [];
      for (const one of event.events) session.push(one);
      continue;
    }
    endSession();
    if (event.type !== 'session_shown' && joined.at(-1)?.type === event.type) joined.pop();
    joined.push(event);
  }
  endSession();
  return joined;
}
