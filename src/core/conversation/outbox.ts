import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../base/clock.js';
import type { ContentBlock, SessionState } from '../session/model.js';
import { withoutContext } from './earlierContext.js';
import type { HoldReason, OutboxPrompt } from './state.js';

/** The prompts that are still to be sent, in the order in which they are, and those that went back to their author. One that is held goes only when the user says so. */
export class Outbox {
  readonly #clock: Clock;
  #prompts: readonly OutboxPrompt[] = [];
  #returned: readonly OutboxPrompt[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Keeps its identity as long as nothing changed, as does `returned`. */
  get all(): readonly OutboxPrompt[] {
    return this.#prompts;
  }

  get returned(): readonly OutboxPrompt[] {
    return this.#returned;
  }

  /** Some wait for the user's word, apart from those that may hang the agent. */
  get isHolding(): boolean {
    return this.#prompts.some(({ held }) => held !== undefined && held !== 'may_hang');
  }

  get hanging(): readonly OutboxPrompt[] {
    return this.#prompts.filter(({ held }) => held === 'may_hang');
  }

  add(content: readonly ContentBlock[], held?: HoldReason): OutboxPrompt {
    const prompt = this.#create(content, held);
    this.#prompts = [...this.#prompts, prompt];
    return prompt;
  }

  addFirst(content: readonly ContentBlock[]): OutboxPrompt {
    const prompt = this.#create(content, undefined);
    this.#prompts = [prompt, ...this.#prompts];
    return prompt;
  }

  /** One that was taken and not sent after all. */
  putBack(prompt: OutboxPrompt, held?: HoldReason): void {
    this.#prompts = [{ ...prompt, held }, ...this.#prompts];
  }

  remove(id: string): OutboxPrompt | undefined {
    const prompt = this.#prompts.find((one) => one.id === id);
    if (prompt !== undefined) this.#prompts = this.#prompts.filter((one) => one !== prompt);
    return prompt;
  }

  /** Takes out the first one with these words that may go. */
  removeReady(content: readonly ContentBlock[]): void {
    const same = this.#prompts.find((prompt) => prompt.held === undefined && isDeepStrictEqual(prompt.content, content));
    if (same !== undefined) this.remove(same.id);
  }

  hasReady(): boolean {
    return this.#prompts.some(({ held }) => held === undefined);
  }

  /** Hands over the next one that may go. */
  takeNext(): OutboxPrompt | undefined {
    const next = this.#prompts.find(({ held }) => held === undefined);
    return next === undefined ? undefined : this.remove(next.id);
  }

  /** Those that are not held wait for the user from now on. */
  hold(why: HoldReason): void {
    if (this.hasReady()) this.#prompts = this.#prompts.map((prompt) => (prompt.held === undefined ? { ...prompt, held: why } : prompt));
  }

  /** Lets go what is held, but not what may hang the agent: that is a decision of its own. */
  release(): void {
    if (!this.isHolding) return;
    this.#prompts = this.#prompts.map((prompt) => (prompt.held === 'may_hang' ? prompt : { ...prompt, held: undefined }));
  }

  /** The user decided about one that may hang the agent. */
  decide(id: string, content: readonly ContentBlock[]): void {
    this.#prompts = this.#prompts.map((prompt) => (prompt.id === id ? { ...prompt, content, held: undefined } : prompt));
  }

  returnReady(): void {
    this.#return(this.#prompts.filter(({ held }) => held === undefined));
  }

  returnHanging(): void {
    this.#return(this.hanging);
  }

  returnAll(): void {
    this.#return(this.#prompts);
  }

  /** Words that are in no prompt of the outbox. */
  returnContent(content: readonly ContentBlock[]): void {
    this.#returned = [...this.#returned, this.#create(content, undefined)];
  }

  /** @returns the ids of those that nobody took before */
  takeReturned(ids: readonly string[]): readonly string[] {
    const taken = this.#returned.filter(({ id }) => ids.includes(id));
    if (taken.length > 0) this.#returned = this.#returned.filter((prompt) => !taken.includes(prompt));
    return taken.map(({ id }) => id);
  }

  /** What an earlier front end left unsent waits for the user. @param said the session as it was saved, which may hold some of it by now */
  restore(left: readonly OutboxPrompt[], returned: readonly OutboxPrompt[], said: SessionState | undefined): void {
    const why = said !== undefined && wasInterrupted(said) ? 'turn_interrupted' : 'front_end_closed';
    const open = left.filter((prompt) => !wasSaid(prompt, said));
    this.#prompts = [...this.#prompts, ...open.map((prompt) => ({ ...prompt, held: prompt.held ?? why }))];
    this.#returned = [...this.#returned, ...returned];
  }

  #create(content: readonly ContentBlock[], held: HoldReason | undefined): OutboxPrompt {
    return { id: randomUUID(), content, at: this.#clock.now(), held };
  }

  #return(prompts: readonly OutboxPrompt[]): void {
    if (prompts.length === 0) return;
    this.#prompts = this.#prompts.filter((prompt) => !prompts.includes(prompt));
    this.#returned = [...this.#returned, ...prompts];
  }
}

function wasInterrupted(state: SessionState): boolean {
  const last = state.items.at(-1);
  return last?.kind === 'turn_end' && last.outcome.type === 'interrupted';
}

/** Its turn began, and the front end was closed before that could be remembered. */
function wasSaid({ content, at }: OutboxPrompt, said: SessionState | undefined): boolean {
  const text = JSON.stringify(withoutContext(content));
  return (
    said?.items.some(
      (item) =>
        item.kind === 'message' && item.role === 'user' && item.startedAt >= at && JSON.stringify(withoutContext(item.content)) === text,
    ) === true
  );
}
