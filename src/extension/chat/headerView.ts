/** What is above a conversation: the state of its agent on one line, which the status bar shows too, and the card below it. */
import type { AgentState, BannerView, HeaderView } from '../../contract/view.js';
import {
  type AgentSummary,
  type Blocker,
  choicesOf,
  type ConversationState,
  findKnownAgent,
  printedText,
  selectOf,
  stripControls,
  takesProvider,
  withoutAbsent,
} from '../../core/index.js';
import { shorten } from '../../text/plainText.js';
import { afterFailedStart, buttons, type ErrorView, errorView } from '../advice/advice.js';

export function agentLabel(state: ConversationState): string {
  return state.agent?.label ?? 'The agent';
}

/** @param name that of the conversation */
export function headerView(state: ConversationState, name?: string): HeaderView {
  const caveat = state.agent?.caveat;
  return {
    agent: state.agent?.label ?? 'ACP Host',
    ...stateView(state),
    ...withoutAbsent({ version: state.info?.version, model: modelOf(state), name, caveat: caveat && caveats[caveat] }),
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
function modelOf(state: ConversationState): string | undefined {
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

const awaited = { initialize: 'its first answer', session: 'a session', next_minute: 'the next minute' } as const;

// The card at the top: what blocks the conversation, or what users must know first.

/** Why nothing can be sent, whatever the agent. */
export type Closed = 'untrusted' | 'no_folder';

interface BannerInput {
  readonly closed: Closed | undefined;
  /** The engine has been away for a while. */
  readonly isEngineLost?: boolean;
  /** May explain a failed start. */
  readonly doctorNote?: string | undefined;
}

export function bannerView(state: ConversationState, { closed, isEngineLost, doctorNote }: BannerInput): BannerView | null {
  const agent = agentLabel(state);
  if (closed === 'no_folder') return { ...warning(errorView({ code: 'usage', params: { reason: 'no_folder' } }, agent)), severity: 'info' };
  if (closed === 'untrusted') return warning(errorView({ code: 'untrusted', params: {} }, agent));
  if (isEngineLost === true) return engineLostBanner;
  if (state.blocker !== undefined) return blockerBanner(state.blocker, state, agent, doctorNote);
  const { status } = state;
  if (status.state === 'failed' && state.opening === undefined) {
    const described = errorView(status.error, agent);
    return {
      severity: 'error',
      ...described,
      buttons: [...afterFailedStart(described.buttons), buttons.report],
      ...detailOf(status.stderrTail, doctorNote),
    };
  }
  return null;
}

const engineLostBanner: BannerView = {
  severity: 'warning',
  title: "Your agents can't be reached",
  text: 'The process in which they run has stopped or does not respond. Everything up to then is saved. If it does not come back by itself, restart it.',
  buttons: [buttons.restartEngine, buttons.log, buttons.report],
};

function detailOf(...parts: readonly (string | undefined)[]): { readonly detail?: string } {
  const detail = printedText(parts.filter((part) => part !== undefined && part !== '').join('\n\n'));
  return detail === '' ? {} : { detail };
}

function blockerBanner(blocker: Blocker, state: ConversationState, agent: string, doctorNote: string | undefined): BannerView {
  const described = errorView(blocker.error, agent);
  switch (blocker.type) {
    case 'sign_in':
      return { ...warning(described), buttons: signInButtons(state) };
    case 'resume_refused': {
      const title = `${agent} can't resume this conversation`;
      const text =
        blocker.offer === undefined
          ? `${described.text} It is not saved here either. You can start fresh.`
          : `${described.text} Nothing is lost. Continue with context to send it the history, or start fresh.`;
      const first = blocker.offer === undefined ? [] : [buttons.continueWithContext];
      // What the agent can't do, it can't do a moment later either, and its log says nothing about it.
      const more = blocker.error.code === 'unsupported' ? [] : [buttons.tryAgain, buttons.log];
      return { severity: 'warning', title, text, buttons: [...first, buttons.startFresh, ...more] };
    }
    case 'failed': {
      const { status } = state;
      return {
        severity: 'error',
        ...described,
        buttons: [...afterFailedStart(described.buttons), buttons.report],
        ...detailOf(status.state === 'failed' ? status.stderrTail : undefined, doctorNote),
      };
    }
  }
}

/** Returns a button for each way to sign in, then one for a key if the host can provide it. The button of a message does the same. */
function signInButtons(state: ConversationState): BannerView['buttons'] {
  const methods = state.info?.authMethods ?? [];
  const signIn = methods.map(({ id, name }) => ({
    ...buttons.signIn,
    ...(methods.length === 1 ? {} : { label: `${buttons.signIn.label} with ${shortened(name)}` }),
    methodId: id,
  }));
  const apiKey = takesProvider(findKnownAgent(state.agent?.id)) ? [buttons.setApiKey] : [];
  return [...signIn, ...apiKey, buttons.startAgain, buttons.log];
}

/** The number of characters of a name that fit on a button. */
const nameChars = 40;

function shortened(name: string): string {
  return shorten(name.replaceAll(/\s+/g, ' ').trim(), nameChars);
}

function warning(described: ErrorView): BannerView {
  const { title, text, command } = described;
  return { severity: 'warning', title, text, buttons: [...described.buttons], ...(command === undefined ? {} : { command }) };
}
