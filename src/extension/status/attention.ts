/** What the window shows while no chat is visible: context keys, and notifications if the user enabled them. */
import * as vscode from 'vscode';
import type { PromptView } from '../../contract/view.js';
import { showMessage } from '../window/windowMessages.js';
import { chatFocusedKey, type ContextFacts, contextKeys } from './contextKeys.js';

export function markFocus(isFocused: boolean): void {
  void vscode.commands.executeCommand('setContext', chatFocusedKey, isFocused);
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

export interface NotifierOptions {
  isWanted(): boolean;
  /** Whether a page shows the conversation of the request. */
  isOnScreen(promptId: string): boolean;
  show(promptId: string): void;
}

/** @returns a function that notifies once about each request that no page shows */
export function createNotifier({ isWanted, isOnScreen, show }: NotifierOptions): (prompts: readonly PromptView[]) => void {
  let known: ReadonlySet<string> = new Set();
  return (prompts) => {
    const added = prompts.filter(({ id }) => !known.has(id));
    known = new Set(prompts.map(({ id }) => id));
    const first = added.find(({ id }) => !isOnScreen(id));
    if (first === undefined || !isWanted()) return;
    const whose = [first.agent, first.conversation].filter((name) => name !== undefined).join(' · ');
    void showMessage('information', `${whose}: ${first.title}`, 'Show').then((choice) => {
      if (choice !== undefined) show(first.id);
    });
  };
}
