import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.js';
import type { ContentBlock, SessionState } from '../session/model.js';
import type { OutboxPrompt } from './state.js';

/** A prompt for a running turn that the agent has not answered yet. */
interface JoiningPrompt {
  readonly prompt: OutboxPrompt;
  /** The user stopped everything, so it must not be sent in another way. */
  isStopped: boolean;
  /** The agent has reported it in its queue, or in the turn. */
  isTaken: boolean;
}

/** The prompts that were handed to a running turn and are not part of it yet. They would be lost with the agent. */
export class JoiningPrompts {
  readonly #clock: Clock;
  /** By id, in the order in which they were handed over. */
  readonly #all = new Map<string, JoiningPrompt>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(content: readonly ContentBlock[]): JoiningPrompt {
    const prompt = { id: randomUUID(), content, at: this.#clock.now(), held: undefined };
    const joining = { prompt, isStopped: false, isTaken: false };
    this.#all.set(prompt.id, joining);
    return joining;
  }

  /**
   * Call this when the agent has answered.
   * @returns false if the agent has the prompt, or if it was already removed
   */
  remove(joining: JoiningPrompt, session: SessionState): boolean {
    this.#markTaken(session);
    return this.#all.delete(joining.prompt.id) && !joining.isTaken;
  }

  /** The user stops everything: marks the prompts that the agent has not accepted yet. */
  stop(): void {
    for (const joining of this.#all.values()) joining.isStopped = true;
  }

  /** Removes and returns all that `waiting` returns. */
  take(session: SessionState | undefined): readonly OutboxPrompt[] {
    const prompts = this.waiting(session);
    this.#all.clear();
    return prompts;
  }

  /** Returns the prompts that the agent has neither in its queue nor in the turn. */
  waiting(session: SessionState | undefined): readonly OutboxPrompt[] {
    if (session !== undefined) this.#markTaken(session);
    return [...this.#all.values()].flatMap(({ isTaken, prompt }) => (isTaken ? [] : [prompt]));
  }

  #markTaken({ queue, items }: SessionState): void {
    if (this.#all.size === 0) return;
    const reported = [...queue.map(({ id }) => id), ...items.map((item) => (item.kind === 'message' ? item.promptId : undefined))];
    for (const id of reported) {
      const joining = id === undefined ? undefined : this.#all.get(id);
      if (joining !== undefined) joining.isTaken = true;
    }
  }
}
