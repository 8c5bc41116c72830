/** Shows a failed action of the user as one message with buttons that help. */
import type { Action } from '../../contract/actions.js';
import type { ActionTable } from './actions.js';
import { errorView } from '../advice/advice.js';
import { HostError, type Logger, toHostError } from '../../core/index.js';
import type { OpenConversation } from '../conversation/openConversations.js';
import { showMessage } from '../window/windowMessages.js';
import { NamedFailure } from './actionScope.js';

export interface ErrorReporterParts {
  readonly log: Logger;
  /** Returns the name of the conversation's agent, for users. */
  agentOf(entry: OpenConversation | undefined): string;
  actionsOn(entry: OpenConversation | undefined): ActionTable;
}

/**
 * Awaits an action of the user; logs and shows what fails. Never rejects.
 * @param entry the conversation that the action is about, which the message names and its buttons act on; by then, the user may be in another
 */
export type Report = (entry: OpenConversation | undefined, work: () => void | Promise<unknown>) => Promise<void>;

export function errorReporter({ log, agentOf, actionsOn }: ErrorReporterParts): Report {
  const show = async (failure: unknown, entry: OpenConversation | undefined): Promise<Action | undefined> => {
    const isNamed = failure instanceof NamedFailure;
    const thrown = isNamed ? failure.cause : failure;
    const error = toHostError(thrown);
    if (error.code === 'cancelled' || error.code === 'disposed') return undefined;
    log.error('The action failed', error);
    const described = errorView(error.toData(), agentOf(entry));
    // Retry starts the agent and sends waiting prompts. That helps after a failure of the conversation, but not after one of the editor.
    const buttons = described.buttons.filter(({ action }) => action !== 'retry' || thrown instanceof HostError);
    // What the user has to do first needs no heading.
    const texts = error.code === 'usage' && described.text !== '' ? [described.text] : [described.title, described.text];
    const choice = await showMessage(
      'error',
      `${isNamed ? `"${failure.conversation}": ` : ''}${texts.filter((text) => text !== '').join('. ')}`,
      ...buttons.map(({ label }) => label),
    );
    return buttons.find(({ label }) => label === choice)?.action;
  };
  const report: Report = async (entry, work) => {
    try {
      await work();
    } catch (thrown) {
      const action = await show(thrown, entry);
      if (action !== undefined) await report(entry, () => actionsOn(entry)[action]());
    }
  };
  return report;
}
