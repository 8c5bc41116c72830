/** Sets the context keys: the conditions of commands and key bindings. */
import * as vscode from 'vscode';
import type { ChatView } from '../../contract/view.js';

export function markFocus(isFocused: boolean): void {
  void vscode.commands.executeCommand('setContext', chatFocusedKey, isFocused);
}

export function markPreview(decides: boolean): void {
  void vscode.commands.executeCommand('setContext', previewDecidesKey, decides);
}

/** @returns a function that updates the context keys that changed */
export function createMarks(): (facts: ContextFacts) => void {
  const drawn = new Map<string, boolean>();
  return (facts) => {
    for (const [key, isSet] of Object.entries(contextKeys)) {
      const value = isSet(facts);
      if (drawn.get(key) === value) continue;
      drawn.set(key, value);
      void vscode.commands.executeCommand('setContext', key, value);
    }
  };
}

// The conditions in package.json (test/extension/manifest.test.ts compares them), and when each is true.

/**
 * A page of the chat has the keyboard focus. The editor's own conditions are about the frame around the page, which does not get the focus.
 */
export const chatFocusedKey = 'acpHost.chatFocused';

/** The tab with the edit of a request is at the front, and the user can decide there. */
export const previewDecidesKey = 'acpHost.previewDecides';

interface ContextFacts {
  /** The conversation that commands apply to. */
  readonly view: ChatView;
  /** The conversation in the chat view. */
  readonly shown: ChatView;
  /** Whether an open conversation has files to review. */
  readonly hasHunks: boolean;
  /** The number of requests of all conversations. */
  readonly pending: number;
  /** The agent runs, and can sign the user out. */
  readonly signsOut: boolean;
  /** The row of the conversation in the list; undefined if it has no messages. */
  readonly listed: { readonly isPinned: boolean; readonly isArchived: boolean } | undefined;
  /** Whether the Conversations view shows archived conversations. */
  readonly showsArchived: boolean;
}

export const contextKeys: Readonly<Record<`acpHost.${string}`, (facts: ContextFacts) => boolean>> = {
  'acpHost.busy': ({ view }) => view.composer.busy,
  'acpHost.chatViewBusy': ({ shown }) => shown.composer.busy,
  'acpHost.toReview': ({ view }) => view.review !== null,
  'acpHost.hunksToReview': ({ hasHunks }) => hasHunks,
  'acpHost.waiting': ({ pending }) => pending > 0,
  'acpHost.signInOffered': ({ view: { banner } }) => banner?.buttons.some(({ action }) => action === 'signIn') === true,
  'acpHost.signOutOffered': ({ signsOut }) => signsOut,
  'acpHost.inConversation': ({ listed }) => listed !== undefined,
  'acpHost.isPinned': ({ listed }) => listed?.isPinned === true,
  'acpHost.isArchived': ({ listed }) => listed?.isArchived === true,
  'acpHost.showsArchived': ({ showsArchived }) => showsArchived,
};
