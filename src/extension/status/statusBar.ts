/** Draws the state of the agent in the status bar item. */
import * as vscode from 'vscode';
import type { AgentState } from '../../contract/view.js';
import { withoutIcons } from '../window/windowMessages.js';
import type { StatusView } from './statusView.js';

const icons: Readonly<Record<AgentState, string>> = {
  stopped: '$(circle-outline)',
  starting: '$(loading~spin)',
  reconnecting: '$(sync~spin)',
  ready: '$(check)',
  busy: '$(loading~spin)',
  waiting: '$(bell-dot)',
  failed: '$(error)',
};

const backgrounds: Readonly<Partial<Record<AgentState, string>>> = {
  waiting: 'statusBarItem.warningBackground',
  failed: 'statusBarItem.errorBackground',
};

/** What each item shows. Setting it again would send a message to the editor for each piece of an answer. */
const drawnByItem = new WeakMap<vscode.StatusBarItem, string>();

export function drawStatus(item: vscode.StatusBarItem, view: StatusView): void {
  const drawn = JSON.stringify(view);
  if (drawnByItem.get(item) === drawn) return;
  drawnByItem.set(item, drawn);
  const name = [view.agent, view.model].filter((part) => part !== undefined).join(' · ');
  const background = backgrounds[view.state] ?? (view.neverAsks ? 'statusBarItem.warningBackground' : undefined);
  const done = view.done === 0 ? '' : `${view.done} done`;
  const shield = view.neverAsks ? '$(warning) ' : '';
  const parts = [`${shield}$(comment-discussion) ${withoutIcons(name)} ${icons[view.state]}`, view.detail, done];
  item.text = parts.filter((part) => part !== undefined && part !== '').join(' ');
  item.tooltip = [`${view.agent}: ${view.stateText}`, ...view.facts].join('\n');
  item.backgroundColor = background === undefined ? undefined : new vscode.ThemeColor(background);
  item.accessibilityInformation = {
    label: `${[name, view.stateText, done].filter((part) => part !== '').join(', ')}. Session controls`,
    role: 'button',
  };
}
