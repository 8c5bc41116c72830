/** Sets the context keys: the conditions of commands and key bindings. */
import * as vscode from 'vscode';
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
