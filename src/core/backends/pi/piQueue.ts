/** Represents the prompts that wait in the agent, of which the agent only knows the text, as prompts with ids. */
import { Fifo } from '../../base/fifo.js';
import type { SessionEvent } from '../../session/event.js';
import type { ContentBlock, QueuedPrompt } from '../../session/model.js';

type QueueEvent = Extract<SessionEvent, { type: 'queued' | 'unqueued' }>;

/** `words` is what the agent calls it. */
export interface WaitingPrompt {
  readonly prompt: QueuedPrompt;
  readonly words: string;
}

export class PiQueue {
  #waiting: readonly WaitingPrompt[] = [];
  #count = 0;

  get all(): readonly WaitingPrompt[] {
    return this.#waiting;
  }

  /**
   * Call this when the agent reports everything that waits, in its order.
   * @param contentOf returns the content of a prompt that did not wait before
   */
  replace(words: readonly string[], at: number, contentOf: (words: string) => readonly ContentBlock[]): readonly QueueEvent[] {
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
    const next = words.map((text) => left.get(text)?.shift() ?? this.#create(text, contentOf(text), at));
    const [before, now] = [new Set(this.#waiting), new Set(next)];
    const gone = this.#waiting.filter((one) => !now.has(one));
    const added = next.filter((one) => !before.has(one));
    this.#waiting = next;
    return [...gone.map((one) => taken(one, at)), ...added.map(({ prompt }): QueueEvent => ({ type: 'queued', at, prompt }))];
  }

  /** Call this when a prompt was sent to an agent that does not report its queue. */
  add(words: string, content: readonly ContentBlock[], at: number): readonly QueueEvent[] {
    const added = this.#create(words, content, at);
    this.#waiting = [...this.#waiting, added];
    return [{ type: 'queued', at, prompt: added.prompt }];
  }

  /** Call this when the agent has echoed a prompt, of which it may have expanded a command. */
  take(words: string, at: number): readonly QueueEvent[] {
    return this.remove(echoed(words, this.#waiting)?.prompt.id, at);
  }

  remove(promptId: string | undefined, at: number): readonly QueueEvent[] {
    const found = this.#waiting.find(({ prompt }) => prompt.id === promptId);
    if (found === undefined) return [];
    this.#waiting = this.#waiting.filter((one) => one !== found);
    return [taken(found, at)];
  }

  #create(words: string, content: readonly ContentBlock[], at: number): WaitingPrompt {
    return { words, prompt: { id: `q${++this.#count}`, content, at } };
  }
}

/** Finds the prompt with these words, or else the oldest one that the agent may have expanded into them. */
export function echoed<T extends { readonly words: string }>(words: string, prompts: readonly T[]): T | undefined {
  return prompts.find((one) => one.words === words) ?? prompts.find((one) => one.words.startsWith('/'));
}

function taken({ prompt }: WaitingPrompt, at: number): QueueEvent {
  return { type: 'unqueued', at, promptId: prompt.id };
}
