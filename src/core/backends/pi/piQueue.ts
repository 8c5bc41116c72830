/** Represents the prompts that wait in the agent, of which the agent only knows the text, as prompts with ids. */
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
    // Of prompts with the same text, the agent takes the oldest first.
    const left = this.#waiting.filter((one, index) => {
      const since = this.#waiting.slice(index).map((later) => later.words);
      return countOf(one.words, since) <= countOf(one.words, words);
    });
    const gone = this.#waiting.filter((one) => !left.includes(one));
    const next = words.map((text): WaitingPrompt => {
      const known = left.findIndex((one) => one.words === text);
      return known < 0 ? this.#create(text, contentOf(text), at) : (left.splice(known, 1)[0] ?? this.#create(text, [], at));
    });
    const added = next.filter((one) => !this.#waiting.includes(one));
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

function countOf(text: string, texts: readonly string[]): number {
  return texts.filter((one) => one === text).length;
}
