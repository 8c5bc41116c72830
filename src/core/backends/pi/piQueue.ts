/** Represents the prompts that wait in the agent, of which the agent only knows the text, as prompts with ids. */
import type { SessionEvent } from '../../session/event.js';
import type { ContentBlock, QueuedPrompt } from '../../session/model.js';

type QueueEvent = Extract<SessionEvent, { type: 'queued' | 'unqueued' }>;

interface Waiting {
  readonly prompt: QueuedPrompt;
  readonly words: string;
}

export class PiQueue {
  #waiting: readonly Waiting[] = [];
  #count = 0;

  get length(): number {
    return this.#waiting.length;
  }

  /** @returns the texts of the other waiting prompts, in order; undefined if the prompt does not wait */
  without(promptId: string): readonly string[] | undefined {
    const others = this.#waiting.filter(({ prompt }) => prompt.id !== promptId);
    return others.length === this.#waiting.length ? undefined : others.map(({ words }) => words);
  }

  /** Call this when the agent reports everything that waits, in its order. */
  replace(words: readonly string[], at: number): readonly QueueEvent[] {
    const left = [...this.#waiting];
    const next = words.map((text): Waiting => {
      const known = left.findIndex((one) => one.words === text);
      return known < 0 ? this.#create(text, [{ type: 'text', text }], at) : (left.splice(known, 1)[0] ?? this.#create(text, [], at));
    });
    const added = next.filter((one) => !this.#waiting.includes(one));
    this.#waiting = next;
    return [...left.map((one) => taken(one, at)), ...added.map(({ prompt }): QueueEvent => ({ type: 'queued', at, prompt }))];
  }

  /** Call this when a prompt was sent to an agent that does not report its queue. */
  add(words: string, content: readonly ContentBlock[], at: number): readonly QueueEvent[] {
    const added = this.#create(words, content, at);
    this.#waiting = [...this.#waiting, added];
    return [{ type: 'queued', at, prompt: added.prompt }];
  }

  /** Call this when the agent has echoed a waiting prompt. */
  take(words: string, at: number): readonly QueueEvent[] {
    const found = this.#waiting.find((one) => one.words === words);
    if (found === undefined) return [];
    this.#waiting = this.#waiting.filter((one) => one !== found);
    return [taken(found, at)];
  }

  #create(words: string, content: readonly ContentBlock[], at: number): Waiting {
    return { words, prompt: { id: `q${++this.#count}`, content, at } };
  }
}

function taken({ prompt }: Waiting, at: number): QueueEvent {
  return { type: 'unqueued', at, promptId: prompt.id };
}
