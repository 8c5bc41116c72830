/** Sends prompts to the agent, and finds out which of them lead to a run. */
import type { Delivery } from '../agentBackend.js';
import { promptSchema } from './schema/answers.js';
import type { HostError } from '../../base/errors.js';
import type { PiPrompt } from './piContent.js';
import type { PiProcess } from './piProcess.js';
import type { PiSessionParts } from './piSessionParts.js';
import type { ExpectedRun, RunWatch } from './runWatch.js';

/** How often, and at what interval, to ask an agent that answers prompts before it works on them whether a run begins. */
const idleLooks = 4;
const lookMs = 250;
/** The interval grows for an agent that does not answer the question. */
const lookAtMostMs = 8_000;

interface LookParts extends Pick<PiSessionParts, 'deadlines' | 'dialect' | 'log'> {
  readonly process: Pick<PiProcess, 'state'>;
  /** The run that the prompt may begin. */
  readonly expected: ExpectedRun;
  /** Whether a dialog of the prompt is open, so that no run can be expected yet. */
  readonly isHeldOpen: () => boolean;
}

/** Asks the agent whether the prompt that it accepted leads to a run, because older versions do not report it. Never rejects. */
export async function lookForRun({ expected, dialect, ...parts }: LookParts): Promise<void> {
  // The start of a run is reported before this answer, except by an agent that answers prompts early.
  const looks = dialect.answersPromptsEarly ? idleLooks : 1;
  if (await lookUntilIdle({ ...parts, looks, isAwaited: () => expected.isAwaited })) expected.endWithoutRun();
}

interface IdleParts extends Pick<LookParts, 'process' | 'deadlines' | 'log' | 'isHeldOpen'> {
  /** How often in succession the agent must report that it does nothing. */
  readonly looks?: number;
  readonly isAwaited: () => boolean;
}

/** @returns whether the agent is idle; false if that is no longer awaited. Never rejects. */
export async function lookUntilIdle({ process, deadlines, log, isHeldOpen, isAwaited, looks = idleLooks }: IdleParts): Promise<boolean> {
  let idle = 0;
  for (let failures = 0; isAwaited(); ) {
    try {
      const { isStreaming = false, isCompacting = false } = await process.state(deadlines.queryMs);
      failures = 0;
      // The agent may have to compact its context before the run begins.
      idle = isStreaming || isCompacting ? 0 : idle + 1;
      if (idle >= looks && !isHeldOpen()) return isAwaited();
    } catch (error) {
      // A command can keep the agent from answering in time. If the connection is lost, nothing is awaited any more.
      log.debug('The agent did not report whether it is working', error);
      failures++;
    }
    const delayMs = Math.min(lookMs * 2 ** Math.max(0, failures - idleLooks), lookAtMostMs);
    await new Promise((resolve) => setTimeout(resolve, delayMs).unref());
  }
  return false;
}

/** How long an agent that answers prompts early may take to refuse one. */
const refusalMs = 250;

export type JoiningDelivery = Exclude<Delivery, 'turn'>;

interface PiPromptsParts extends Omit<LookParts, 'expected'> {
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
