/** Shows and changes the queue of the agent. */
import { randomUUID } from 'node:crypto';
import { Fifo } from '../../base/fifo.js';
import type { Logger } from '../../base/logger.js';
import { OneByOne } from '../../base/oneByOne.js';
import type { SessionEvent } from '../../session/event.js';
import type { ContentBlock, QueuedPrompt } from '../../session/model.js';
import type { PiCalls } from './piCalls.js';
import { imagesIn, type PiPrompt } from './piContent.js';
import type { JoiningDelivery } from './piPrompts.js';
import { queueSchema } from './schema/answers.js';

export interface PiWaitingParts {
  readonly calls: PiCalls;
  readonly log: Logger;
  /** Whether the agent reports its queue; otherwise the queue consists of what was sent and not echoed yet. */
  readonly isTold: boolean;
  readonly now: () => number;
  readonly emit: (event: SessionEvent) => void;
  /** Sends a prompt to the running turn. @throws HostError if there is none, or the agent refuses the prompt */
  readonly send: (prompt: PiPrompt, delivery: JoiningDelivery) => Promise<void>;
  readonly isLost: () => boolean;
}

/** No user reads more of them. The others are shown when they come up. */
const mostShown = 64;

/** A prompt that was sent and not answered. `words` is what the agent got. */
interface SendingPrompt {
  readonly id: string;
  readonly words: string;
  readonly content: readonly ContentBlock[];
}

export class PiWaiting {
  readonly #parts: PiWaitingParts;
  readonly #queue = new PiQueue();
  /** Prompts that the agent has not answered yet. It reports only their text, and before the answer. */
  readonly #sending = new Set<SendingPrompt>();
  /** Those that left the agent's queue in this turn, or that it took at once, and were not said back. */
  #left: readonly SendingPrompt[] = [];
  /** The ids of the prompts that the user has removed, until the agent has dropped them. */
  readonly #removed = new Set<string>();
  readonly #removals = new OneByOne();
  /** True while the host rearranges the queue: what the agent reports meanwhile is temporary, except the last of it. */
  #isRearranging = false;
  #lastTold: readonly string[] | undefined;

  constructor(parts: PiWaitingParts) {
    this.#parts = parts;
  }

  /** Settles when the queue is in order, so that a prompt can be added to it. Never rejects. */
  get arranged(): Promise<void> {
    return this.#removals.settled();
  }

  /** Call this with everything that waits, in the agent's order. */
  told(words: readonly string[]): void {
    if (this.#isRearranging) this.#lastTold = words;
    else this.#replace(words.slice(0, mostShown));
  }

  /**
   * Call this before a prompt is sent.
   * @returns call this with whether the agent accepted it
   */
  sending(one: SendingPrompt): (isAccepted: boolean) => void {
    this.#sending.add(one);
    return (isAccepted) => {
      if (!this.#sending.delete(one) || !isAccepted) return;
      if (this.#parts.isTold) this.#left = [...this.#left, one].slice(-mostShown);
      else this.#tell(this.#queue.add(one, this.#parts.now()));
    };
  }

  /** Call this when the agent says a prompt. @returns its id; undefined for the prompt of the turn */
  saidBack(words: string): string | undefined {
    if (words === '') return undefined;
    const waiting = this.#parts.isTold ? this.#left : this.#queue.all.map(toSending);
    const said = echoed(words, [...waiting, ...this.#sending]);
    if (said === undefined) return undefined;
    this.#left = this.#left.filter((one) => one !== said);
    this.#sending.delete(said);
    if (!this.#parts.isTold) this.#tell(this.#queue.remove(said.id, this.#parts.now()));
    return said.id;
  }

  endTurn(): void {
    this.#left = [];
  }

  /**
   * Call this before the agent is asked how many prompts wait: one that has come back as something else is only missed by their number.
   * @returns call this with the number, if it is known
   */
  counting(): (count: number | undefined) => void {
    const asked = this.#queue.all.map(({ prompt }) => prompt.id);
    return (count) => {
      if (this.#parts.isTold || count !== 0) return;
      for (const id of asked) this.#tell(this.#queue.remove(id, this.#parts.now()));
    };
  }

  /**
   * The agent can only clear its whole queue, so this sends the other prompts again.
   * @returns the other prompts that the agent did not accept again
   * @throws HostError `request_failed` if the agent refuses to clear its queue
   */
  remove(promptId: string): Promise<readonly QueuedPrompt[]> {
    this.#removed.add(promptId);
    return this.#removals.run(() => this.#rearrange(promptId).finally(() => this.#removed.delete(promptId)));
  }

  async #rearrange(promptId: string): Promise<readonly QueuedPrompt[]> {
    const { calls, isLost } = this.#parts;
    // The agent has it by now, or an earlier removal dropped it too.
    if (!this.#queue.all.some(({ prompt }) => prompt.id === promptId)) return [];
    this.#isRearranging = true;
    this.#lastTold = undefined;
    try {
      const { steering, followUp } = await calls.request({ command: { type: 'clear_queue' }, answer: queueSchema });
      this.#lastTold ??= [];
      this.#replace([...steering, ...followUp]);
      return await this.#sendAgain(this.#queue.all, steering.length);
    } finally {
      this.#isRearranging = false;
      // The queue of a lost agent stays as it was, so that the host can return it to the user.
      if (this.#lastTold !== undefined && !isLost()) this.told(this.#lastTold);
    }
  }

  /**
   * @param cleared all prompts that waited, the steers first
   * @returns those that the agent refuses now
   */
  async #sendAgain(cleared: readonly WaitingPrompt[], steers: number): Promise<readonly QueuedPrompt[]> {
    const { send, isLost, now, log } = this.#parts;
    const refused: QueuedPrompt[] = [];
    for (const [index, { prompt, words }] of cleared.entries()) {
      if (!this.#removed.has(prompt.id)) {
        try {
          await send({ message: words, ...imagesIn(prompt.content) }, index < steers ? 'steer' : 'followUp');
          continue;
        } catch (error) {
          log.warn('Could not resend a prompt that was queued in the agent', error);
          if (isLost()) return [];
          refused.push(prompt);
        }
      }
      this.#tell(this.#queue.remove(prompt.id, now()));
    }
    return refused;
  }

  #replace(words: readonly string[]): void {
    const before = this.#queue.all;
    this.#tell(this.#queue.replace(words, this.#parts.now(), (text) => this.#begin(text)));
    const left = before.filter(({ prompt }) => !this.#removed.has(prompt.id) && !this.#queue.has(prompt.id));
    this.#left = [...this.#left, ...left.map(toSending)].slice(-mostShown);
  }

  /** The agent may have expanded a command, and reports only what it has become. */
  #begin(words: string): SendingPrompt {
    const one = echoed(words, [...this.#sending]);
    if (one === undefined) return { id: randomUUID(), words, content: [{ type: 'text', text: words }] };
    this.#sending.delete(one);
    if (one.words === words) return one;
    return { id: one.id, words, content: [{ type: 'text', text: words }, ...one.content.filter(({ type }) => type === 'image')] };
  }

  #tell(events: readonly SessionEvent[]): void {
    for (const event of events) this.#parts.emit(event);
  }
}

type QueueEvent = Extract<SessionEvent, { type: 'queued' | 'unqueued' }>;

/** `words` is what the agent calls it. */
interface WaitingPrompt {
  readonly prompt: QueuedPrompt;
  readonly words: string;
}

/** The prompts that wait in the agent, which knows only their text, as prompts with ids. */
export class PiQueue {
  #waiting: readonly WaitingPrompt[] = [];

  get all(): readonly WaitingPrompt[] {
    return this.#waiting;
  }

  has(promptId: string): boolean {
    return this.#waiting.some(({ prompt }) => prompt.id === promptId);
  }

  /**
   * Call this when the agent reports everything that waits, in its order.
   * @param begin returns a prompt that did not wait before
   */
  replace(words: readonly string[], at: number, begin: (words: string) => SendingPrompt): readonly QueueEvent[] {
    const counts = new Map<string, number>();
    for (const text of words) counts.set(text, (counts.get(text) ?? 0) + 1);
    const left = new Map<string, Fifo<WaitingPrompt>>();
    for (const one of this.#waiting) {
      const same = left.get(one.words) ?? new Fifo();
      left.set(one.words, same);
      same.push(one);
      // Of prompts with the same text, the agent takes the oldest first.
      if (same.size > (counts.get(one.words) ?? 0)) same.shift();
    }
    const next = words.map((text) => left.get(text)?.shift() ?? toWaiting(begin(text), at));
    const [before, now] = [new Set(this.#waiting), new Set(next)];
    const gone = this.#waiting.filter((one) => !now.has(one));
    const added = next.filter((one) => !before.has(one));
    this.#waiting = next;
    return [...gone.map((one) => taken(one, at)), ...added.map(({ prompt }): QueueEvent => ({ type: 'queued', at, prompt }))];
  }

  /** Call this when a prompt was sent to an agent that does not report its queue. */
  add(sent: SendingPrompt, at: number): readonly QueueEvent[] {
    const added = toWaiting(sent, at);
    this.#waiting = [...this.#waiting, added];
    return [{ type: 'queued', at, prompt: added.prompt }];
  }

  remove(promptId: string, at: number): readonly QueueEvent[] {
    const found = this.#waiting.find(({ prompt }) => prompt.id === promptId);
    if (found === undefined) return [];
    this.#waiting = this.#waiting.filter((one) => one !== found);
    return [taken(found, at)];
  }
}

function toWaiting({ id, words, content }: SendingPrompt, at: number): WaitingPrompt {
  return { words, prompt: { id, content, at } };
}

function toSending({ words, prompt: { id, content } }: WaitingPrompt): SendingPrompt {
  return { id, words, content };
}

/** Finds the prompt with these words, or else the oldest one that the agent may have expanded into them. */
function echoed<T extends { readonly words: string }>(words: string, prompts: readonly T[]): T | undefined {
  return prompts.find((one) => one.words === words) ?? prompts.find((one) => one.words.startsWith('/'));
}

function taken({ prompt }: WaitingPrompt, at: number): QueueEvent {
  return { type: 'unqueued', at, promptId: prompt.id };
}
