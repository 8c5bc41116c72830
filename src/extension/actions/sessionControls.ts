/** The door behind the status bar item. */
import * as vscode from 'vscode';
import type { ChatView } from '../../contract/view.js';
import { controlsFor } from './controls.js';

export async function showSessionControls(view: ChatView): Promise<void> {
  const { agent, stateText, model } = view.header;
  const controls = controlsFor(view);
  const chosen = await vscode.window.showQuickPick(controls, {
    title: [agent, model, stateText].filter((part) => part !== undefined).join(' · '),
    placeHolder: 'Session controls',
  });
  if (chosen !== undefined) await vscode.commands.executeCommand(chosen.command);
}
