import type { ConversationClient, ContentBlock } from '../../core/index.js';
import type { OpenConversations } from '../conversation/openConversations.js';
import type { ChatPages } from './chatPages.js';

export interface ReturnParts {
  readonly conversations: OpenConversations;
  readonly pages: Pick<ChatPages, 'isOnScreen' | 'tell'>;
}

/**
 * @returns a function that puts prompts that will not be sent into the composer once a page shows their conversation; call it whenever
 * either changed
 */
export function createReturner({ conversations, pages }: ReturnParts): () => Promise<void> {
  return async () => {
    for (const { id, conversation } of conversations.all) {
      if (conversation.state.returned.length === 0 || !pages.isOnScreen(id)) continue;
      for (const text of await takeReturned(conversation)) pages.tell(id, { type: 'insertText', text });
    }
  };
}

/** Returns the texts of the prompts that nobody else has taken. */
async function takeReturned(conversation: ConversationClient): Promise<readonly string[]> {
  const { returned } = conversation.state;
  const result = await conversation.execute({ type: 'take_returned', promptIds: returned.map(({ id }) => id) });
  const ids = result.ok ? (result.ids ?? []) : [];
  return returned.filter(({ id }) => ids.includes(id)).map(({ content }) => wordsOf(content));
}

function wordsOf(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n');
}
