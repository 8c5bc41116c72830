import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.js';
import { type ContentBlock, isInterrupted, type SessionState } from '../session/model.js';
import type { HoldReason, OutboxPrompt } from './state.js';

/** The prompts to send, in order, and the prompts that were returned to the composer. A held prompt is only sent after the user releases it. */
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

  /** Whether prompts wait for the user's decision. */
  get isHolding(): boolean {
    return this.#prompts.some(({ held }) => held !== undefined);
  }

  /** @param before the ID of the prompt that it precedes; the first one if that is no longer here */
  add(prompt: OutboxPrompt, before?: string): void {
    const place = before === undefined ? this.#prompts.length : this.#prompts.findIndex(({ id }) => id === before);
    this.#prompts = this.#prompts.toSpliced(Math.max(0, place), 0, prompt);
  }

  addFirst(content: readonly ContentBlock[]): OutboxPrompt {
    const prompt = this.create(content);
    this.#prompts = [prompt, ...this.#prompts];
    return prompt;
  }

  /** Puts back a prompt that was taken but not sent. */
  putBack(prompt: OutboxPrompt, held?: HoldReason): void {
    this.#prompts = [{ ...prompt, held }, ...this.#prompts];
  }

  /** The ID of the prompt behind this one. */
  following(id: string): string | undefined {
    return this.#prompts[this.#prompts.findIndex((one) => one.id === id) + 1]?.id;
  }

  remove(id: string): OutboxPrompt | undefined {
    const prompt = this.#prompts.find((one) => one.id === id);
    if (prompt !== undefined) this.#prompts = this.#prompts.filter((one) => one !== prompt);
    return prompt;
  }

  /** The next ready prompt. */
  get next(): OutboxPrompt | undefined {
    return this.#prompts.find(({ held }) => held === undefined);
  }

  /** Removes and returns the next ready prompt. */
  takeNext(): OutboxPrompt | undefined {
    const { next } = this;
    return next === undefined ? undefined : this.remove(next.id);
  }

  /** Holds all prompts that are not held yet, until the user decides. */
  hold(why: HoldReason): void {
    if (this.next !== undefined)
      this.#prompts = this.#prompts.map((prompt) => (prompt.held === undefined ? { ...prompt, held: why } : prompt));
  }

  /** Releases held prompts. @param why only those that are held for this reason @param ids only those */
  release(why?: HoldReason, ids?: readonly string[]): void {
    const isReleased = ({ id, held }: OutboxPrompt): boolean =>
      held !== undefined && (why === undefined || held === why) && (ids === undefined || ids.includes(id));
    if (this.#prompts.some(isReleased))
      this.#prompts = this.#prompts.map((prompt) => (isReleased(prompt) ? { ...prompt, held: undefined } : prompt));
  }

  returnReady(): void {
    this.#return(this.#prompts.filter(({ held }) => held === undefined));
  }

  returnAll(): void {
    this.#return(this.#prompts);
  }

  /** Returns a prompt to the composer that is not in the outbox. */
  returnPrompt(prompt: OutboxPrompt): void {
    this.#returned = [...this.#returned, prompt];
  }

  /** @returns the ids of the prompts that were not claimed before */
  takeReturned(ids: readonly string[]): readonly string[] {
    const taken = this.#returned.filter(({ id }) => ids.includes(id));
    if (taken.length > 0) this.#returned = this.#returned.filter((prompt) => !taken.includes(prompt));
    return taken.map(({ id }) => id);
  }

  /** Holds for the user what an earlier front end left unsent. @param said the saved session, which may already contain some of it */
  restore(left: readonly OutboxPrompt[], returned: readonly OutboxPrompt[], said: SessionState | undefined): void {
    const why = said !== undefined && isInterrupted(said) ? 'turn_interrupted' : 'engine_ended';
    const open = left.filter((prompt) => !wasSaid(prompt, said));
    this.#prompts = open.map((prompt) => ({ ...prompt, held: prompt.held ?? why }));
    this.#returned = returned;
  }

  /** Drops what the saved session already contains, if it could not be read when the prompts were restored. */
  dropSaid(said: SessionState | undefined): void {
    this.#prompts = this.#prompts.filter((prompt) => !wasSaid(prompt, said));
  }

  /** A prompt that is in no list yet. @param id unique for ever */
  create(content: readonly ContentBlock[], held?: HoldReason, id: string = randomUUID()): OutboxPrompt {
    return { id, content, at: this.#clock.now(), held };
  }

  #return(prompts: readonly OutboxPrompt[]): void {
    if (prompts.length === 0) return;
    this.#prompts = this.#prompts.filter((prompt) => !prompts.includes(prompt));
    this.#returned = [...this.#returned, ...prompts];
  }
}

/** Whether the prompt's turn started, and the agent got it as far as is known. The engine may have ended before it could save that. */
function wasSaid({ id }: OutboxPrompt, said: SessionState | undefined): boolean {
  const message = said?.items.findLast((item) => item.kind === 'message' && item.promptId === id);
  const end = message && said?.items.find((item) => item.kind === 'turn_end' && 'turnId' in message && item.turnId === message.turnId);
  if (message === undefined || end?.kind !== 'turn_end' || end.outcome.type === 'ended') return message !== undefined;
  const { code, params } = end.outcome.error;
  return params['isUnsent'] !== true && code !== 'auth_required';
}
