/** The tool calls of a session. The protocol gives them no ids, so a result belongs to the oldest open call with its name. */
import type { Clock } from '../../base/clock.js';
import { Fifo } from '../../base/fifo.js';
import type { SessionEvent, ToolPatch } from '../../session/event.js';
import type { ContentBlock, ToolKind } from '../../session/model.js';
import type { PermissionSubject } from '../../session/userRequest.js';

interface Card {
  readonly id: string;
  readonly name: string;
}

/** Matches words in the names of tools. */
const kinds: readonly (readonly [ToolKind, RegExp])[] = [
  ['execute', /shell|bash|exec|command|terminal|run/i],
  ['edit', /write|edit|patch|replace|create|save/i],
  ['delete', /delete|remove|unlink/i],
  ['move', /move|rename/i],
  ['search', /search|grep|find|glob|list/i],
  ['fetch', /fetch|http|web|download/i],
  ['read', /read|view|cat|open|load/i],
];

export class ToolCards {
  readonly #emit: (event: SessionEvent) => void;
  readonly #clock: Clock;
  /** By their ids, oldest first. */
  readonly #open = new Map<string, Card>();
  /** The same by name, also with cards that were closed by their ids meanwhile. */
  readonly #byName = new Map<string, Fifo<Card>>();
  /** By name, the cards whose calls were asked about and have not run yet. */
  readonly #asked = new Map<string, Fifo<Card>>();
  #count = 0;

  constructor(emit: (event: SessionEvent) => void, clock: Clock) {
    this.#emit = emit;
    this.#clock = clock;
  }

  /** Call this when a call runs. If the user was asked about it before, it is the same call. */
  call(name: string, args: unknown): void {
    const asked = this.#oldest(this.#asked, name);
    if (asked === undefined) return void this.#add(name, args, { status: 'in_progress' });
    this.#asked.get(name)?.shift();
    this.#tell(asked, { status: 'in_progress', rawInput: args });
  }

  /**
   * Call this when a call waits for a decision.
   * @returns the subject of the decision
   */
  ask(name: string, args: unknown, description: string | undefined): PermissionSubject {
    const content = description === undefined ? [] : [{ type: 'content', content: { type: 'text', text: description } } as const];
    const card = this.#add(name, args, { status: 'pending', content });
    fifoIn(this.#asked, name).push(card);
    const { id } = card;
    return { itemId: id, toolCallId: id, title: name, toolKind: kindOf(name), rawInput: args, content, locations: [] };
  }

  allowed(id: string): void {
    const card = this.#open.get(id);
    if (card !== undefined) this.#tell(card, { status: 'in_progress' });
  }

  refused(id: string): void {
    this.#close(this.#open.get(id), { status: 'rejected' });
  }

  result({ name, result, isFailure }: { readonly name: string; readonly result: unknown; readonly isFailure: boolean }): void {
    this.#close(this.#oldest(this.#byName, name) ?? this.#add(name, undefined, {}), {
      status: isFailure ? 'failed' : 'completed',
      content: [{ type: 'content', content: textOf(result) }],
      rawOutput: result,
    });
  }

  /** @param name the oldest open call if it is undefined */
  failed(name: string | undefined, error: string): void {
    const [oldest] = this.#open.values();
    this.#close(name === undefined ? oldest : (this.#oldest(this.#byName, name) ?? this.#add(name, undefined, {})), {
      status: 'failed',
      content: [{ type: 'content', content: { type: 'text', text: error } }],
    });
  }

  /** Call this at the end of the turn: open calls get no further reports. */
  end(isCancelled: boolean): void {
    for (const card of [...this.#open.values()]) this.#close(card, { status: isCancelled ? 'cancelled' : 'unreported' }, 'host');
    this.#byName.clear();
    this.#asked.clear();
  }

  #add(name: string, args: unknown, patch: ToolPatch): Card {
    const card = { id: `call${++this.#count}`, name };
    this.#open.set(card.id, card);
    fifoIn(this.#byName, name).push(card);
    this.#tell(card, { title: name, toolKind: kindOf(name), rawInput: args, ...patch });
    return card;
  }

  /** Returns the oldest of these cards that is still open. */
  #oldest(cards: ReadonlyMap<string, Fifo<Card>>, name: string): Card | undefined {
    const same = cards.get(name);
    let card = same?.peek();
    while (card !== undefined && !this.#open.has(card.id)) {
      same?.shift();
      card = same?.peek();
    }
    return card;
  }

  #close(card: Card | undefined, patch: ToolPatch, origin?: 'host'): void {
    if (card === undefined) return;
    this.#open.delete(card.id);
    this.#tell(card, patch, origin);
  }

  #tell({ id }: Card, patch: ToolPatch, origin?: 'host'): void {
    this.#emit({ type: 'tool', at: this.#clock.now(), id, toolCallId: id, patch, ...(origin === undefined ? {} : { origin }) });
  }
}

function fifoIn(cards: Map<string, Fifo<Card>>, name: string): Fifo<Card> {
  const known = cards.get(name) ?? new Fifo<Card>();
  cards.set(name, known);
  return known;
}

function kindOf(name: string): ToolKind {
  return kinds.find(([, words]) => words.test(name))?.[0] ?? 'other';
}

function textOf(result: unknown): ContentBlock {
  return { type: 'text', text: typeof result === 'string' ? result : JSON.stringify(result ?? null, null, 2) };
}
