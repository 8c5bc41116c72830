import type { Disposable } from '../../core/index.js';
import type { OpenConversations } from './openConversations.js';

/** Calls back when another change of an agent is known, also while its turn runs. */
export function whenFilesChange(conversations: Pick<OpenConversations, 'all' | 'onChange'>, onChange: () => void): Disposable {
  let before: readonly unknown[] = [];
  return conversations.onChange(() => {
    const all = conversations.all.map(({ conversation }) => conversation.state.changes);
    // A conversation changes with each word of an answer.
    if (all.length === before.length && all.every((one, index) => one === before[index])) return;
    before = all;
    onChange();
  });
}
