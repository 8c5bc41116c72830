/** The list that opens from the status bar item. */
import * as vscode from 'vscode';
import type { Action } from '../../contract/actions.js';
import type { ChatView } from '../../contract/view.js';
import { controlsFor } from './controls.js';

/**
 * @param pending the number of requests of all conversations that need an answer
 * @returns what the user chose; undefined if the list was closed
 */
export async function pickControl(view: ChatView, pending: number): Promise<Action | undefined> {
  const { agent, stateText, model } = view.header;
  const chosen = await vscode.window.showQuickPick(controlsFor(view, pending), {
    title: [agent, model, stateText].filter((part) => part !== undefined).join(' · '),
    placeHolder: 'Session controls',
  });
  return chosen?.action;
}
