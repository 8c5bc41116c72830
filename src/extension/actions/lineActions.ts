/** Actions on the line at the cursor. */
import { type EngineClient, HostError, stripControls } from '../../core/index.js';
import type { ChatPages } from '../chat/chatPages.js';
import { findStartOfTurn } from '../chat/transcript.js';
import type { OpenConversation, OpenConversations } from '../conversation/openConversations.js';
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
    /** Opens the conversation whose turn wrote the line, at that turn. @param uri @param line see lineHere */
    async showTurnOfLine(uri?: string, line?: string): Promise<void> {
      const place = lineHere(uri, line === undefined ? undefined : Number(line));
      const origin = await engine.call('line_origin', place);
      if (origin === undefined) {
        const name = stripControls(place.path.slice(place.path.lastIndexOf('/') + 1));
        void report(() => showMessage('information', `No recorded turn of an agent wrote line ${place.line} of ${name}`));
        return;
      }
      const entry = conversations.openListed(origin.conversationId);
      if (entry === undefined || !(await isRestored(entry)))
        throw new HostError('usage', { detail: 'The conversation that wrote this line was deleted' });
      const itemId = findStartOfTurn(entry.conversation.state, origin.turnId);
      await pages.focus(entry, 'composer', itemId === undefined ? undefined : { type: 'reveal', itemId });
    },
  };
}

/** Waits for what was saved. @returns false if the conversation was deleted */
function isRestored({ conversation }: OpenConversation): Promise<boolean> {
  const { state } = conversation;
  if (state.isRestored || state.isDeleted) return Promise.resolve(!state.isDeleted);
  return new Promise((resolve) => {
    const watching = conversation.onChange(({ state: { isRestored, isDeleted } }) => {
      if (!isRestored && !isDeleted) return;
      watching.dispose();
      resolve(!isDeleted);
    });
  });
}
