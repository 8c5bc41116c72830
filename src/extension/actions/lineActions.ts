/** Actions on the line at the cursor. */
import { type ConversationClient, type EngineClient, HostError, stripControls } from '../../core/index.js';
import type { ChatPages } from '../chat/chatPages.js';
import { findStartOfTurn } from '../chat/transcript.js';
import type { OpenConversations } from '../conversation/openConversations.js';
import { lineHere } from '../editor/lineHere.js';
import { showMessage } from '../window/windowMessages.js';

export interface LineActionParts {
  readonly engine: Pick<EngineClient, 'call'>;
  readonly conversations: Pick<OpenConversations, 'openListed'>;
  readonly pages: Pick<ChatPages, 'focus'>;
  /** Runs work that no command waits for, and shows what fails. */
  readonly report: (work: () => Promise<unknown>) => Promise<void>;
}

export function createLineActions({ engine, conversations, pages, report }: LineActionParts) {
  return {
    /** Opens the conversation whose turn wrote the line, at that turn. */
    async showTurnOfLine(): Promise<void> {
      const place = lineHere();
      const origin = await engine.call('line_origin', place);
      if (origin === undefined) {
        const name = stripControls(place.path.slice(place.path.lastIndexOf('/') + 1));
        void report(() => showMessage('information', `No recorded turn of an agent wrote line ${place.line} of ${name}`));
        return;
      }
      const entry = conversations.openListed(origin.conversationId);
      if (entry === undefined) throw new HostError('usage', { detail: 'The conversation that wrote this line was deleted' });
      await untilRestored(entry.conversation);
      await pages.focus(entry, 'composer', findStartOfTurn(entry.conversation.state, origin.turnId));
    },
  };
}

function untilRestored(conversation: ConversationClient): Promise<void> {
  return new Promise((resolve) => {
    if (conversation.state.isRestored) return resolve();
    const watching = conversation.onChange(({ state }) => {
      if (!state.isRestored) return;
      watching.dispose();
      resolve();
    });
  });
}
