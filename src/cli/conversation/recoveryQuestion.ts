import type { RecoveryChoice } from '../arguments/optionValues.js';
import type { ChatFrontEnd, ChatState } from '../frontEnds/frontEnd.js';
import type { RecoveryOffer } from '../output/output.js';
import type { Conversation } from './conversation.js';
import type { Trouble } from './trouble.js';

/** Whether the user can still choose. `ended`: no more input will come; `left`: the user left the chat. */
export type Input = 'open' | 'ended' | 'left';

export interface RecoveryQuestionParts {
  readonly frontEnd: ChatFrontEnd;
  readonly conversation: Conversation;
  /** `--recover`: how to continue if the agent can't resume the session. */
  readonly recover: RecoveryChoice | undefined;
  readonly input: () => Input;
  readonly show: (state: ChatState) => void;
  /** Resolves when something happened. */
  readonly untilWoken: () => Promise<void>;
}

/** Determines how a chat continues without its agent or its session. */
export class RecoveryQuestion {
  readonly #parts: RecoveryQuestionParts;
  /** May precede the question, so that programs need not wait for it. */
  #choice: RecoveryChoice | 'retry' | undefined;

  constructor(parts: RecoveryQuestionParts) {
    this.#parts = parts;
  }

  choose(choice: RecoveryChoice | 'retry'): void {
    this.#choice = choice;
  }

  /**
   * Reports the trouble and does what the user chooses.
   * @returns false if the user chooses nothing
   */
  async resolve(trouble: Trouble): Promise<boolean> {
    const { frontEnd, conversation, recover, input, show } = this.#parts;
    const reason = conversation.explain(trouble.error);
    if (input() !== 'left') conversation.fail(reason);
    const offer = trouble.type === 'refused' ? { sessionId: trouble.sessionId, reason, context: trouble.context } : undefined;
    if (offer !== undefined) frontEnd.output.recovery(offer);
    const choice = (offer && recover) ?? (await this.#ask(offer));
    if (choice === undefined) return false;
    show({ type: 'running' });
    if (choice === 'retry' || offer === undefined) await conversation.execute({ type: 'retry' });
    else await conversation.continueInNewSession(choice);
    return true;
  }

  async #ask(offer: RecoveryOffer | undefined): Promise<RecoveryChoice | 'retry' | undefined> {
    const { input, show, untilWoken } = this.#parts;
    show(offer ? { type: 'refused', offer } : { type: 'gone' });
    for (;;) {
      if (input() === 'left') return undefined;
      const choice = this.#choice;
      this.#choice = undefined;
      // Without an agent, only a retry makes sense.
      if (choice === 'retry' || (choice !== undefined && offer !== undefined)) return choice;
      if (input() === 'ended') return this.#nobodyChose(offer);
      await untilWoken();
    }
  }

  #nobodyChose(offer: RecoveryOffer | undefined): undefined {
    const { isTerminal, output } = this.#parts.frontEnd;
    // A user at a terminal chose to exit.
    if (isTerminal) return void output.note('The conversation is saved. Resume it with `acp-host chat --continue`');
    const message = offer
      ? 'The chat ended because nobody chose how to continue. To choose in advance, use --recover context or --recover fresh'
      : 'The chat ended because nobody restarted the agent';
    output.error({ code: 'cancelled', message, data: {} });
  }
}
