/** Conditions of package.json (test/extension/manifest.test.ts compares them), and when each holds. */
import type { ChatView } from '../../contract/view.js';

export const contextKeys: Readonly<Record<`acpHost.${string}`, (view: ChatView) => boolean>> = {
  'acpHost.busy': ({ composer }) => composer.busy,
  'acpHost.waiting': ({ prompts }) => prompts.length > 0,
  'acpHost.signInOffered': ({ banner }) => banner?.buttons.some(({ action }) => action === 'signIn') === true,
};
