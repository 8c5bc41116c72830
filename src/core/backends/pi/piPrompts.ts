/** Sends prompts to the agent, and finds out which of them lead to a run. */
import type { HostError } from '../../base/errors.js';
import type { Delivery } from '../agentBackend.js';
import { lookForRun, type LookParts } from './lookForRun.js';
import type { PiPrompt } from './piContent.js';
import type { PiProcess } from './piProcess.js';
import type { ExpectedRun, RunWatch } from './runWatch.js';
import { promptSchema } from './schema/answers.js';

/** How long an agent that answers prompts early may take to refuse one. */
const refusalMs = 250;

export type JoiningDelivery = Exclude<Delivery, 'turn'>;

export interface PiPromptsParts extends Omit<LookParts, 'expected'> {
  readonly process: Pick<PiProcess, 'state' | 'calls'>;
  readonly run: RunWatch;
}

export class PiPrompts {
  readonly #parts: PiPromptsParts;

  constructor(parts: PiPromptsParts) {
    this.#parts = parts;
  }

  /**
   * Begins a turn. Resolves when the agent has accepted the prompt.
   * @param onLateFailure called if the agent refuses the prompt after it accepted it
   */
  async begin(prompt: PiPrompt, onLateFailure: (error: HostError) => void): Promise<void> {
    const { run } = this.#parts;
    // The prompt continues a run that the agent began by itself.
    const behavior = run.isRunning ? ({ streamingBehavior: 'followUp' } as const) : {};
    await this.#send({ ...prompt, ...behavior }, run.expect(), onLateFailure);
  }

  /**
   * Resolves when the agent has accepted the prompt and will not refuse it any more.
   * @param isInTurn between the end of a run and the end of its turn, the prompt begins another run of the same turn
   */
  async join(prompt: PiPrompt, streamingBehavior: JoiningDelivery, isInTurn: boolean): Promise<void> {
    const { dialect, run } = this.#parts;
    const expected = isInTurn ? run.expect() : undefined;
    let onRefused = (_: HostError): void => {};
    const refused = new Promise<never>((_, reject) => (onRefused = reject));
    refused.catch(() => expected?.refuse());
    try {
      await this.#send({ ...prompt, streamingBehavior }, expected, onRefused);
    } catch (error) {
      expected?.refuse();
      throw error;
    }
    if (dialect.answersPromptsEarly) await Promise.race([refused, new Promise((resolve) => setTimeout(resolve, refusalMs).unref())]);
  }

  async #send(
    message: PiPrompt & { readonly streamingBehavior?: JoiningDelivery },
    expected: ExpectedRun | undefined,
    onLateFailure: (error: HostError) => void,
  ): Promise<void> {
    const { process } = this.#parts;
    const { disposition } = await process.calls.request({ command: { type: 'prompt', ...message }, answer: promptSchema, onLateFailure });
    // Only newer versions report whether it leads to a run.
    if (disposition === 'handled') expected?.endWithoutRun();
    else if (disposition === undefined && expected !== undefined) void lookForRun({ ...this.#parts, expected });
  }
}
