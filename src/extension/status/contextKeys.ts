/** Conditions of package.json (test/extension/manifest.test.ts compares them), and when each holds. */
import type { ChatView } from '../../contract/view.js';

/** A page of the chat has the keyboard. The editor's own conditions are about the frame that the page is in, which the focus passes by. */
export const chatFocusedKey = 'acpHost.chatFocused';

export interface ContextFacts {
  /** The conversation that commands are about. */
  readonly view: ChatView;
  /** Requests of all conversations. */
  readonly pending: number;
  /** Its row in the list; absent where nothing was said in it. */
  readonly listed: { readonly isPinned: boolean; readonly isArchived: boolean } | undefined;
  /** The Conversations view shows archived ones. */
  readonly showsArchived: boolean;
}

export const contextKeys: Readonly<Record<`acpHost.${string}`, (facts: ContextFacts) => boolean>> = {
  'acpHost.busy': ({ view }) => view.composer.busy,
  'acpHost.waiting': ({ pending }) => pending > 0,
  'acpHost.signInOffered': ({ view: { banner } }) => banner?.buttons.some(({ action }) => action === 'signIn') === true,
  'acpHost.inConversation': ({ listed }) => listed !== undefined,
  'acpHost.isPinned': ({ listed }) => listed?.isPinned === true,
  'acpHost.isArchived': ({ listed }) => listed?.isArchived === true,
  'acpHost.showsArchived': ({ showsArchived }) => showsArchived,
};
