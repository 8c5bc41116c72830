/** The list behind the status bar item. */
import * as vscode from 'vscode';
import type { Action } from '../../contract/actions.js';
import type { ChatView } from '../../contract/view.js';
import { controlsFor } from './controls.js';

/** @param pending how many requests of all conversations need an answer @returns what the user chose; undefined where the list was closed */
export async function pickControl(view: ChatView, pending: number): Promise<Action | undefined> {
  const { agent, stateText, model } = view.header;
  const chosen = await vscode.window.showQuickPick(controlsFor(view, pending), {
    title: [agent, model, stateText].filter((part) => part !== undefined).join(' · '),
    placeHolder: 'Session controls',
  });
  return chosen?.action;
}
