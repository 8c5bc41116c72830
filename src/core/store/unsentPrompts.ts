import type { ConversationRecord } from '../conversation/ports.js';
import type { OutboxPrompt } from '../conversation/state.js';

export type UnsentPrompts = Pick<ConversationRecord, 'outbox' | 'returned'>;

/**
 * Merges unsent prompts: two processes may have prompts in one conversation, and each changes only its own.
 * @param there the saved prompts @param before what this process had when it last saved or read them @param now what it has now
 */
export function mergePrompts(there: UnsentPrompts, before: UnsentPrompts | undefined, now: UnsentPrompts): UnsentPrompts {
  const own = new Set([before, now].flatMap((one) => (one === undefined ? [] : [...one.outbox, ...one.returned])).map(({ id }) => id));
  const merge = (saved: readonly OutboxPrompt[], mine: readonly OutboxPrompt[]): readonly OutboxPrompt[] => {
    const others = saved.filter(({ id }) => !own.has(id));
    return others.length === 0 ? mine : [...mine, ...others];
  };
  return { outbox: merge(there.outbox, now.outbox), returned: merge(there.returned, now.returned) };
}
