import { randomUUID } from 'node:crypto';
import type { ContentBlock, SessionState } from '../../core/index.js';

/**
 * Why a message waits for the user instead of for the agent:
 * `turn_cut`: it stood behind a turn that was interrupted; `window_closed`: the window went before it was sent;
 * `context_lost`: it was meant for an agent that knew the conversation; `freezes`: the agent is known to stand still over it.
 */
export type HoldReason = 'turn_cut' | 'window_closed' | 'context_lost' | 'freezes';

/** A message that no turn has taken yet. It stays until one does. */
export interface UnsentPrompt {
  readonly id: string;
  readonly content: readonly ContentBlock[];
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Undefined: it goes as soon as the agent is there. */
  readonly held: HoldReason | undefined;
}

/** The messages that are still to be sent, in the order in which they are. One that is held goes only when the user says so. */
export class Outbox {
  readonly #giveBack: (content: readonly ContentBlock[]) => void;
  #prompts: readonly UnsentPrompt[] = [];

  /** @param giveBack a message that is not sent goes back to its author */
  constructor(giveBack: (content: readonly ContentBlock[]) => void) {
    this.#giveBack = giveBack;
  }

  /** Keeps its identity as long as nothing changed. */
  get all(): readonly UnsentPrompt[] {
    return this.#prompts;
  }

  /** Those that are known to freeze the agent, until the user has decided. */
  get risky(): readonly UnsentPrompt[] {
    return this.#prompts.filter(({ held }) => held === 'freezes');
  }

  add(content: readonly ContentBlock[], held?: HoldReason): void {
    this.#prompts = [...this.#prompts, unsent(content, held)];
  }

  addFirst(content: readonly ContentBlock[]): void {
    this.#prompts = [unsent(content, undefined), ...this.#prompts];
  }

  remove(id: string): UnsentPrompt | undefined {
    const prompt = this.#prompts.find((one) => one.id === id);
    if (prompt !== undefined) this.#prompts = this.#prompts.filter((one) => one !== prompt);
    return prompt;
  }

  /** Those that are not held wait for the user from now on. */
  hold(why: HoldReason): void {
    this.#prompts = this.#prompts.map((prompt) => (prompt.held === undefined ? { ...prompt, held: why } : prompt));
  }

  /** The user lets them go, but not what would freeze the agent: that is a decision of its own. */
  release(): void {
    this.#prompts = this.#prompts.map((prompt) =>
      prompt.held === undefined || prompt.held === 'freezes' ? prompt : { ...prompt, held: undefined },
    );
  }

  /** Hands over what may go now. */
  takeReady(): readonly UnsentPrompt[] {
    const taken = this.#prompts.filter(({ held }) => held === undefined);
    if (taken.length > 0) this.#prompts = this.#prompts.filter(({ held }) => held !== undefined);
    return taken;
  }

  /** Hands these over, for whoever sends them in another way. */
  take(prompts: readonly UnsentPrompt[]): void {
    for (const { id } of prompts) this.remove(id);
  }

  giveBackReady(): void {
    for (const { content } of this.takeReady()) this.#giveBack(content);
  }

  giveBackRisky(): void {
    const { risky } = this;
    this.take(risky);
    for (const { content } of risky) this.#giveBack(content);
  }

  giveBackAll(): void {
    const all = this.#prompts;
    this.#prompts = [];
    for (const { content } of all) this.#giveBack(content);
  }

  /** What an earlier window left unsent waits for the user. `said`: the conversation as it was kept, which may hold some of it by now. */
  restore(left: readonly UnsentPrompt[], said: SessionState | undefined): void {
    const why = said !== undefined && wasCut(said) ? 'turn_cut' : 'window_closed';
    const open = left.filter((prompt) => !wasSaid(prompt, said));
    this.#prompts = [...this.#prompts, ...open.map((prompt) => ({ ...prompt, held: prompt.held ?? why }))];
  }
}

function unsent(content: readonly ContentBlock[], held: HoldReason | undefined): UnsentPrompt {
  return { id: randomUUID(), content, at: Date.now(), held };
}

function wasCut(state: SessionState): boolean {
  const last = state.items.at(-1);
  return last?.kind === 'turn_end' && last.outcome.type === 'interrupted';
}

/** Its turn began, and the window was closed before that could be remembered. */
function wasSaid({ content, at }: UnsentPrompt, said: SessionState | undefined): boolean {
  const text = JSON.stringify(content);
  return (
    said?.items.some(
      (item) => item.kind === 'message' && item.role === 'user' && item.startedAt >= at && JSON.stringify(item.content) === text,
    ) === true
  );
}
