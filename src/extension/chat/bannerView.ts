/** The card at the top: what blocks the conversation, or what users must know first. */
import type { BannerView } from '../../contract/view.js';
import {
  type Blocker,
  type ConversationState,
  type Elsewhere,
  fallbackAgent,
  findKnownAgent,
  printedText,
  type PassedOver,
  suggestedAgent,
  takesProvider,
} from '../../core/index.js';
import { buttons } from '../advice/buttons.js';
import { afterFailedStart, type ErrorView, errorView } from '../advice/errorView.js';
import { agentLabel } from './headerView.js';

/** Why nothing can be sent, whatever the agent. */
export type Closed = 'untrusted' | 'no_folder';

/** @param doctorNote may explain a failed start */
export function bannerView(state: ConversationState, closed: Closed | undefined, doctorNote?: string): BannerView | null {
  const agent = agentLabel(state);
  if (closed === 'no_folder') {
    return {
      severity: 'info',
      title: 'No folder is open',
      text: 'An agent works in a folder. Open one with "File: Open Folder", then come back.',
      buttons: [],
    };
  }
  if (closed === 'untrusted') return warning(errorView({ code: 'untrusted', params: {} }, agent));
  if (state.passedOver !== undefined && state.elsewhere?.isBusy !== true) return passedOverBanner(state.passedOver, state.elsewhere);
  if (state.elsewhere !== undefined) return elsewhereBanner(state.elsewhere, state, agent);
  if (state.isDeleted) return deletedBanner;
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
  return state.agent?.isFallback === true && isEmpty(state) ? fallbackBanner : null;
}

/** Returns whether nothing was said and nothing is about to be. */
export function isEmpty(state: ConversationState): boolean {
  return (state.session?.items.length ?? 0) === 0 && state.earlierSessions.length === 0 && state.outbox.length === 0;
}

const fallbackBanner: BannerView = {
  severity: 'info',
  title: `${suggestedAgent.label} was not found`,
  text: `The built-in ${fallbackAgent.commonName} answers, without a model.`,
  buttons: [buttons.selectAgent, buttons.copyInstall, buttons.checkAgain],
};

/** The computer slept, or the window hung, while another process took over the conversation. */
function passedOverBanner({ program: taker, wasBusy }: PassedOver, elsewhere: Elsewhere | undefined): BannerView {
  const program = elsewhere?.program ?? taker;
  const where = program === 'terminal' ? 'in a terminal' : program === 'editor' ? 'in another window' : 'elsewhere';
  return {
    severity: 'warning',
    title: `This conversation was continued ${where}`,
    text: [
      'This window did not respond for a while.',
      ...(wasBusy ? ['What the agent said here after that was not saved.'] : []),
      'The conversation continues here with your next message.',
    ].join(' '),
    buttons: [buttons.continueHere],
  };
}

const deletedBanner: BannerView = {
  severity: 'warning',
  title: 'This conversation was deleted in another window',
  text: 'Your next message restores it. Once the other window is closed, only what is said from then on is saved.',
  buttons: [buttons.continueHere],
};

function elsewhereBanner({ program, isBusy }: Elsewhere, { outbox, session }: ConversationState, agent: string): BannerView {
  const where = program === 'terminal' ? 'a terminal' : 'another window';
  if (!isBusy) {
    return {
      severity: 'info',
      title: `This conversation is open in ${where}`,
      text: 'It continues here with your next message.',
      buttons: [buttons.continueHere],
    };
  }
  if (session !== undefined && session.requests.length > 0) {
    return {
      severity: 'warning',
      title: `${agent} needs your input in ${where}`,
      text: 'You can answer its request only there. To stop the turn there and continue here, choose Continue Here.',
      buttons: [buttons.continueHere],
    };
  }
  const text = outbox.some(({ held }) => held === undefined)
    ? 'Your message will be sent when the turn there ends. To stop that turn, choose Continue Here.'
    : 'You see its output here. To stop the turn there and continue here, choose Continue Here.';
  return { severity: 'info', title: `${agent} is working in ${where}`, text, buttons: [buttons.continueHere] };
}

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
      return { severity: 'warning', title, text, buttons: [...first, buttons.startFresh, buttons.tryAgain, buttons.log] };
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
  const line = name.replaceAll(/\s+/g, ' ').trim();
  return line.length > nameChars ? `${line.slice(0, nameChars - 1)}…` : line;
}

function warning(described: ErrorView): BannerView {
  const { title, text, command } = described;
  return { severity: 'warning', title, text, buttons: [...described.buttons], ...(command === undefined ? {} : { command }) };
}
