/** What a page may ask for, and what then happens. A closed table: a message without an entry does not compile. */
import type { AskAnswer, Logger } from '../../core/index.js';
import type { Documents } from '../editor/documents.js';
import { openLink, openLocation } from '../editor/open.js';
import type { Conversations } from '../conversation/conversations.js';
import type { Actions } from './actions.js';
import type { ChatSource } from '../chat/chatSource.js';
import type { PageIntent } from '../pages/pageLink.js';
import { findDiff, findItem, rawDocument, rawInputOfAsk } from '../chat/transcript.js';

type IntentOf<T extends PageIntent['type']> = Extract<PageIntent, { readonly type: T }>;
type IntentTable = { readonly [T in PageIntent['type']]: (intent: IntentOf<T>) => void | Promise<void> };

export interface IntentParts {
  readonly source: ChatSource;
  readonly conversations: Conversations;
  readonly actions: Actions;
  readonly documents: Documents;
  readonly log: Logger;
}

/** @returns runs an intent; what it returns rejects with what the user should know */
export function intentRunner({
  source,
  conversations,
  actions,
  documents,
  log,
}: IntentParts): (intent: PageIntent) => void | Promise<void> {
  const answer = (promptId: string, given: AskAnswer): void => {
    const found = source.findAsk(promptId);
    // Answered elsewhere, or withdrawn by the agent, in the moment before the click: the page is told by the next patch.
    if (found?.conversation.answer(found.ask.id, given) !== true) log.info('An answer came too late, or was not among the options');
  };
  const table: IntentTable = {
    send: ({ text }) => actions.send(text),
    unqueue: ({ id }) => conversations.current?.conversation.unqueue(id),
    draft: ({ text }) => {
      source.keepDraft(text);
      return actions.lookForAgent();
    },
    select: ({ promptId, optionId }) => answer(promptId, { type: 'selected', optionId }),
    answer: ({ promptId, text }) => answer(promptId, { type: 'answered', text }),
    dismiss: ({ promptId }) => answer(promptId, { type: 'cancelled' }),
    setOption: ({ selectorId, value }) => actions.setOption(selectorId, value),
    removeChip: ({ id }) => actions.removeChip(id),
    openChip: ({ id }) => actions.openChip(id),
    openLocation: ({ path, line }) => openLocation(path, line, actions.cwd()),
    openDiff: async ({ itemId, index }) => {
      const diff = findDiff(source.view(), itemId, index);
      if (diff !== undefined) await documents.openDiff(diff.path, diff.oldText ?? '', diff.newText);
    },
    openLink: ({ href }) => openLink(href),
    openRaw: async ({ id, part }) => {
      const state = conversations.current?.conversation.state;
      const item = state === undefined ? undefined : findItem(state, id);
      const ask = source.findAsk(id)?.ask;
      const document = item?.kind === 'tool' ? rawDocument(item, part) : ask === undefined ? undefined : rawInputOfAsk(ask);
      if (document !== undefined) await documents.open(document.name, document.text);
    },
    copy: ({ text }) => actions.copyText(text),
    action: ({ action, itemId }) => actions[action](itemId),
  };
  return (intent) => run(table, intent.type, intent);
}

function run<T extends PageIntent['type']>(table: IntentTable, type: T, intent: IntentOf<T>): void | Promise<void> {
  return table[type](intent);
}
