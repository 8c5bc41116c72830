/** What the status bar shows about the agent. */
import type { AgentState, ChatView } from '../../contract/view.js';
import type { ConversationState } from '../../core/index.js';
import { modeOf } from '../chat/headerView.js';

export interface StatusView {
  readonly state: AgentState;
  readonly agent: string;
  readonly model?: string;
  /** Text next to the icon, for example the remaining time. */
  readonly detail?: string;
  /** The lines of the tooltip, as plain text. */
  readonly facts: readonly string[];
}

/** @param elsewhere the names of other conversations that need the user's input */
export function statusOf(
  { header, composer, banner, prompts }: ChatView,
  state: ConversationState | undefined,
  elsewhere: readonly string[] = [],
): StatusView {
  const mode = state === undefined ? undefined : modeOf(state);
  const { usage } = composer;
  const facts = [
    ...elsewhere.map((name) => `"${name}" needs your input`),
    banner === null || banner.severity === 'info' ? prompts[0]?.title : banner.title,
    header.version === undefined ? undefined : `Version ${header.version}`,
    header.model === undefined ? undefined : `Model ${header.model}`,
    mode === undefined ? undefined : `Mode ${mode}`,
    state?.session?.title,
    usage === undefined ? undefined : `Context ${Math.round((100 * usage.used) / Math.max(usage.size, 1))}% of ${usage.size} tokens`,
  ];
  return {
    state: elsewhere.length > 0 ? 'waiting' : header.state,
    agent: header.agent,
    facts: facts.filter((fact) => fact !== undefined),
    ...(header.model === undefined ? {} : { model: header.model }),
    ...(state?.status.state === 'reconnecting' && state.status.retryAt !== undefined ? { detail: secondsUntil(state.status.retryAt) } : {}),
  };
}

function secondsUntil(time: number): string {
  return `${Math.max(0, Math.ceil((time - Date.now()) / 1000))} s`;
}
