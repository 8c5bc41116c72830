/** Draws the state of the agent in the status bar item. */
import * as vscode from 'vscode';
import type { AgentState } from '../../contract/view.js';
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

const stateNames: Readonly<Record<AgentState, string>> = {
  stopped: 'not running',
  starting: 'starting',
  reconnecting: 'reconnecting',
  ready: 'ready',
  busy: 'working',
  waiting: 'needs your input',
  failed: 'failed',
};

/** What each item shows. Setting it again would send a message to the editor for each piece of an answer. */
const drawnByItem = new WeakMap<vscode.StatusBarItem, string>();

export function drawStatus(item: vscode.StatusBarItem, view: StatusView): void {
  const drawn = JSON.stringify(view);
  if (drawnByItem.get(item) === drawn) return;
  drawnByItem.set(item, drawn);
  const name = [view.agent, view.model].filter((part) => part !== undefined).join(' · ');
  const background = backgrounds[view.state];
  item.text = `$(comment-discussion) ${withoutIcons(name)} ${icons[view.state]}${view.detail === undefined ? '' : ` ${view.detail}`}`;
  item.tooltip = [`${view.agent}: ${stateNames[view.state]}`, ...view.facts].join('\n');
  item.backgroundColor = background === undefined ? undefined : new vscode.ThemeColor(background);
  item.accessibilityInformation = { label: `${name}, ${stateNames[view.state]}. Session controls`, role: 'button' };
}

/** `$(name)` in the name of an agent or a model would be rendered as an icon. */
function withoutIcons(text: string): string {
  return text.replaceAll('$(', '$ (');
}
