import { type Chip, type ConversationClient, isSymbolsBlock, type OutboxPrompt } from '../../core/index.js';
import type { OpenConversation, OpenConversations } from '../conversation/openConversations.js';
import { attachmentsOf } from './attachmentView.js';
import type { ChatPages } from './chatPages.js';
import type { ChatSources } from './chatSources.js';
import { textOf } from './messageView.js';

type Prompt = Pick<OutboxPrompt, 'id' | 'content'>;

export interface ReturnParts {
  readonly conversations: OpenConversations;
  readonly sources: Pick<ChatSources, 'of'>;
  readonly pages: Pick<ChatPages, 'hears' | 'tell'>;
}

/**
 * @returns a function that puts prompts that will not be sent into the composer once a page shows their conversation; call it whenever
 * either changed. They stay saved while the page loads, because it may be closed before it is ready.
 */
export function createReturner({ conversations, sources, pages }: ReturnParts): () => Promise<void> {
  return async () => {
    for (const entry of conversations.all) {
      if (entry.conversation.state.returned.length === 0 || !pages.hears(entry.id)) continue;
      for (const prompt of await takeReturned(entry.conversation)) putBack({ sources, pages }, entry, prompt);
    }
  };
}

interface Places {
  readonly sources: ReturnParts['sources'];
  readonly pages: Pick<ChatPages, 'tell'>;
}

/** Puts a message that was not sent into the composer, with everything that the composer can show. */
export function putBack(places: Places, entry: OpenConversation, prompt: Prompt): void {
  const source = places.sources.of(entry);
  for (const chip of chipsOf(prompt)) source.addChip(chip);
  returnText(places, entry, textOf(prompt.content));
}

/** Puts the text of a message that was not sent into the composer. */
export function returnText({ sources, pages }: Places, entry: OpenConversation, text: string): void {
  if (text === '' || pages.tell(entry.id, { type: 'returnText', text })) return;
  // The page was hidden in the meantime. The next one begins with the draft.
  const source = sources.of(entry);
  source.keepDraft([source.draft() ?? '', text].filter((part) => part !== '').join('\n\n'));
}

/** Returns the parts of a prompt that the composer cannot show as text. Files and code have the ids of all chips for them. */
export function chipsOf({ id, content }: Prompt): readonly Chip[] {
  return content.flatMap((block, index) =>
    attachmentsOf([block]).map(({ label, uri }) => ({
      // The symbols of a file are not the file.
      id: uri === undefined || (block.type === 'resource' && isSymbolsBlock(block)) ? `${id}/${index}` : uri,
      label,
      title: uri ?? label,
      content: block,
    })),
  );
}

/** Returns the prompts that were not claimed elsewhere. */
async function takeReturned(conversation: ConversationClient): Promise<readonly Prompt[]> {
  const { returned } = conversation.state;
  const result = await conversation.execute({ type: 'take_returned', promptIds: returned.map(({ id }) => id) });
  const ids = result.ok ? (result.ids ?? []) : [];
  return returned.filter(({ id }) => ids.includes(id));
}
