/** The state of the agent, as the status bar shows it. */
import * as vscode from 'vscode';
import type { AgentState, ChatView } from '../../contract/view.js';
import {
  choicesOf,
  type ConversationState,
  type EngineSummary,
  foldToOneLine,
  neverAsks,
  selectOf,
  type SessionContext,
  type SessionOption,
} from '../../core/index.js';
import { enginePlaceText } from '../../text/engineText.js';
import { leftOutReason } from '../../text/mcpText.js';
import { shorten } from '../../text/plainText.js';
import { modeOf } from '../chat/headerView.js';
import { plainLabel } from '../window/windowMessages.js';

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

/** The limit for the names of agent and model in the bar, where VS Code cuts the state after them if there is no room for both. */
const nameChars = 30;

/** What each item shows. Setting it again would send a message to the editor for each piece of an answer. */
const drawnByItem = new WeakMap<vscode.StatusBarItem, string>();

export function drawStatus(item: vscode.StatusBarItem, view: StatusView): void {
  const drawn = JSON.stringify(view);
  if (drawnByItem.get(item) === drawn) return;
  drawnByItem.set(item, drawn);
  const names = [view.agent, view.model].filter((part) => part !== undefined);
  const shown = names.map((name) => shorten(name, nameChars)).join(' · ');
  const background = backgrounds[view.state] ?? (view.neverAsks ? 'statusBarItem.warningBackground' : undefined);
  const shield = view.neverAsks ? '$(warning) ' : '';
  const parts = [`${shield}$(comment-discussion) ${plainLabel(shown)} ${icons[view.state]}`, view.detail, view.ended];
  item.text = parts.filter((part) => part !== undefined && part !== '').join(' ');
  item.tooltip = [`${view.agent}: ${view.stateText}`, ...view.facts].join('\n');
  item.backgroundColor = background === undefined ? undefined : new vscode.ThemeColor(background);
  item.accessibilityInformation = {
    label: `${[names.join(' · '), view.stateText, view.ended].filter((part) => part !== '').join(', ')}. Session controls`,
    role: 'button',
  };
}

interface StatusView {
  readonly state: AgentState;
  readonly agent: string;
  readonly model?: string;
  /** Text next to the icon, for example the remaining time. */
  readonly detail?: string;
  readonly stateText: string;
  /** The agent changes files and runs commands without asking. */
  readonly neverAsks: boolean;
  /** What ended out of sight, such as `2 done`; '' if nothing did. */
  readonly ended: string;
  /** The lines of the tooltip, as plain text. */
  readonly facts: readonly string[];
}

interface StatusSurroundings {
  /** The names of other conversations that need the user's input. */
  readonly elsewhere?: readonly string[];
  /** What ended out of sight: in short, and a line for each. */
  readonly ended?: { readonly text: string; readonly facts: readonly string[] };
  /** Undefined while it can't be reached. */
  readonly engine?: EngineSummary | undefined;
}

export function statusOf(
  { header, composer, banner, prompts }: ChatView,
  state: ConversationState | undefined,
  { elsewhere = [], ended = { text: '', facts: [] }, engine }: StatusSurroundings = {},
): StatusView {
  const mode = state === undefined ? undefined : modeOf(state);
  const { usage } = composer;
  const actsUnasked = state?.session !== undefined && isUnasked(state.session.options);
  const facts = [
    ...elsewhere.map((name) => `"${name}" needs input`),
    ...ended.facts,
    banner === null || banner.severity === 'info' ? prompts[0]?.title : banner.title,
    header.version === undefined ? undefined : `Version ${header.version}`,
    header.model === undefined ? undefined : `Model ${header.model}`,
    mode === undefined ? undefined : `Mode ${mode}${actsUnasked ? ', in which the agent never asks' : ''}`,
    state?.session?.title,
    ...contextFacts(state?.session?.context),
    usage === undefined ? undefined : `Context ${Math.round((100 * usage.used) / Math.max(usage.size, 1))}% of ${usage.size} tokens`,
    engine === undefined ? undefined : `Conversations run ${enginePlaceText(engine, process.pid)}`,
  ];
  return {
    state: elsewhere.length > 0 ? 'waiting' : header.state,
    stateText: elsewhere.length > 0 ? 'needs input' : header.stateText,
    neverAsks: actsUnasked,
    ended: ended.text,
    agent: header.agent,
    facts: facts.filter((fact) => fact !== undefined),
    ...(header.model === undefined ? {} : { model: header.model }),
    ...(state?.status.state === 'reconnecting' && state.status.retryAt !== undefined ? { detail: secondsUntil(state.status.retryAt) } : {}),
  };
}

function contextFacts(context: SessionContext | undefined): readonly string[] {
  if (context === undefined) return [];
  const { servers, leftOut, folders } = context;
  return [
    ...(servers.length === 0 ? [] : [`MCP servers: ${servers.map(foldToOneLine).join(', ')}`]),
    ...leftOut.map((one) => `Left out: ${foldToOneLine(one.server)}. ${leftOutReason(one)}`),
    ...(folders.length === 0 ? [] : [`Also works in ${folders.map(foldToOneLine).join(', ')}`]),
  ];
}

function isUnasked(options: readonly SessionOption[]): boolean {
  const mode = selectOf(options, 'mode');
  const choice = mode && choicesOf(mode).find(({ value }) => value === mode.currentValue);
  return choice !== undefined && neverAsks(choice);
}

function secondsUntil(time: number): string {
  return `${Math.max(0, Math.ceil((time - Date.now()) / 1000))} s`;
}
