/** The card at the top: what blocks the conversation, or what users must know first. */
import type { BannerView } from '../../contract/view.js';
import { type Blocker, type ConversationState, findKnownAgent, printedText, takesProvider } from '../../core/index.js';
import { buttons } from '../advice/buttons.js';
import { afterFailedStart, type ErrorView, errorView } from '../advice/errorView.js';
import { agentLabel } from './headerView.js';

/** Why nothing can be sent, whatever the agent. */
export type Closed = 'untrusted' | 'no_folder';

export interface BannerInput {
  readonly closed: Closed | undefined;
  /** The engine has been away for a while. */
  readonly isEngineLost?: boolean;
  /** May explain a failed start. */
  readonly doctorNote?: string | undefined;
}

export function bannerView(state: ConversationState, { closed, isEngineLost, doctorNote }: BannerInput): BannerView | null {
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
