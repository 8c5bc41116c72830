/** Shows a failed action of the user as one message with buttons that help. */
import type { Action } from '../../contract/actions.js';
import { HostError, type Logger, toHostError } from '../../core/index.js';
import { errorView } from '../advice/errorView.js';
import { showMessage } from '../window/windowMessages.js';

export interface Reporter {
  readonly log: Logger;
  agentLabel(): string;
  run(action: Action): void;
}

/** Awaits an action of the user; logs and shows what fails. Never rejects. */
export async function withErrorReport(work: () => void | Promise<unknown>, { log, agentLabel, run }: Reporter): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const error = toHostError(thrown);
    if (error.code === 'cancelled' || error.code === 'disposed') return;
    log.error('The action failed', error);
    const described = errorView(error.toData(), agentLabel());
    // Retry starts the agent and sends what waits, which helps after a failure of the conversation and not after one of the editor.
    const buttons = described.buttons.filter(({ action }) => action !== 'retry' || thrown instanceof HostError);
    const choice = await showMessage(
      'error',
      [described.title, described.text].filter((text) => text !== '').join('. '),
      ...buttons.map(({ label }) => label),
    );
    const button = buttons.find(({ label }) => label === choice);
    if (button !== undefined) run(button.action);
  }
}
