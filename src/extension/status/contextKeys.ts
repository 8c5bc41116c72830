/** Conditions of package.json (test/extension/manifest.test.ts compares them), and when each holds. */
import type { ChatView } from '../../contract/view.js';

/** A page of the chat has the keyboard. The editor's own conditions are about the frame that the page is in, which the focus passes by. */
export const chatFocusedKey = 'acpHost.chatFocused';

export const contextKeys: Readonly<Record<`acpHost.${string}`, (view: ChatView) => boolean>> = {
  'acpHost.busy': ({ composer }) => composer.busy,
  'acpHost.waiting': ({ prompts }) => prompts.length > 0,
  'acpHost.signInOffered': ({ banner }) => banner?.buttons.some(({ action }) => action === 'signIn') === true,
};
