/** The state of an agent on one line, for the header of the chat and for the status bar. */
import type { AgentState, HeaderView } from '../../contract/view.js';
import { type AgentSummary, choicesOf, type ConversationState, selectOf, stripControls } from '../../core/index.js';

export function agentLabel(state: ConversationState): string {
  return state.agent?.label ?? 'The agent';
}

/** @param name that of the conversation */
export function headerView(state: ConversationState, name?: string): HeaderView {
  const model = modelOf(state);
  const caveat = state.agent?.caveat;
  return {
    agent: state.agent?.label ?? 'ACP Host',
    ...stateView(state),
    ...(state.info?.version === undefined ? {} : { version: state.info.version }),
    ...(model === undefined ? {} : { model }),
    ...(name === undefined ? {} : { name }),
    ...(caveat === undefined ? {} : { caveat: caveats[caveat] }),
  };
}

const caveats: Readonly<Record<NonNullable<AgentSummary['caveat']>, NonNullable<HeaderView['caveat']>>> = {
  unauthenticated: {
    label: 'unauthenticated',
    title: "This server doesn't require a key: every program that can reach it can use it and all its tools. Run it on this machine only.",
  },
  unencrypted: {
    label: 'unencrypted',
    title: 'The connection is not encrypted (ws://): others on the network can read and change the conversation.',
  },
};

/** Returns the name of the model if the agent reports it. */
export function modelOf(state: ConversationState): string | undefined {
  return chosenName(state, 'model');
}

/** Returns the name of the mode if the agent has modes. */
export function modeOf(state: ConversationState): string | undefined {
  return chosenName(state, 'mode');
}

function chosenName({ session }: ConversationState, category: 'mode' | 'model'): string | undefined {
  const option = selectOf(session?.options ?? [], category);
  return option === undefined
    ? undefined
    : stripControls(choicesOf(option).find(({ value }) => value === option.currentValue)?.name ?? option.currentValue);
}

function stateView(state: ConversationState): { readonly state: AgentState; readonly stateText: string; readonly since?: number } {
  const { status, opening } = state;
  if (opening !== undefined && (status.state === 'ready' || status.state === 'stopped')) {
    return { state: 'starting', stateText: status.state === 'ready' ? 'opening a session' : 'starting', since: opening.since };
  }
  if (state.blocker?.type === 'resume_refused' && opening === undefined) return { state: 'waiting', stateText: 'needs input' };
  if (state.blocker?.type === 'sign_in' && opening === undefined) return { state: 'failed', stateText: 'needs sign-in' };
  switch (status.state) {
    case 'stopped':
      return { state: 'stopped', stateText: 'not running' };
    case 'starting':
      return { state: 'starting', stateText: `starting · waiting for ${awaited[status.awaiting]}`, since: status.since };
    case 'reconnecting':
      return { state: 'reconnecting', stateText: 'reconnecting', since: status.since };
    case 'ready':
      return { state: 'ready', stateText: 'ready' };
    case 'busy':
      return { state: 'busy', stateText: state.session?.turn.type === 'cancelling' ? 'stopping' : 'working', since: status.since };
    case 'waiting':
      return { state: 'waiting', stateText: 'needs input', since: status.since };
    case 'failed':
      return { state: 'failed', stateText: status.error.code === 'auth_required' ? 'needs sign-in' : 'failed' };
  }
}

const awaited = { process: 'its process', initialize: 'its first answer', session: 'a session', next_minute: 'the next minute' } as const;
