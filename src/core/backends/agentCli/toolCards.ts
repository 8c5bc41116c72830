/** The tool calls of a session. The protocol gives them no ids, so a result belongs to the oldest open call with its name. */
import type { Clock } from '../../base/clock.js';
import type { SessionEvent, ToolPatch } from '../../session/event.js';
import type { ContentBlock, ToolKind } from '../../session/model.js';
import type { PermissionSubject } from '../../session/userRequest.js';

interface Card {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  readonly isConfirmed: boolean;
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
  #open: readonly Card[] = [];
  #count = 0;

  constructor(emit: (event: SessionEvent) => void, clock: Clock) {
    this.#emit = emit;
    this.#clock = clock;
  }

  /** Call this when a call runs. If the user was asked about it before, it is the same call. */
  call(name: string, args: unknown): void {
    const asked = this.#open.find((card) => card.name === name && card.isConfirmed);
    if (asked === undefined) return void this.#add(name, args, { status: 'in_progress' });
    this.#open = this.#open.map((card) => (card === asked ? { ...card, isConfirmed: false } : card));
    this.#tell(asked, { status: 'in_progress', rawInput: args });
  }

  /**
   * Call this when a call waits for a decision.
   * @returns the subject of the decision
   */
  ask(name: string, args: unknown, description: string | undefined): PermissionSubject {
    const content = description === undefined ? [] : [{ type: 'content', content: { type: 'text', text: description } } as const];
    const { id } = this.#add(name, args, { status: 'pending', content });
    return { itemId: id, toolCallId: id, title: name, toolKind: kindOf(name), rawInput: args, content, locations: [] };
  }

  allowed(id: string): void {
    const card = this.#open.find((one) => one.id === id);
    if (card !== undefined) this.#tell(card, { status: 'in_progress' });
  }

  refused(id: string): void {
    this.#close((card) => card.id === id, { status: 'rejected' });
  }

  result({ name, result, isFailure }: { readonly name: string; readonly result: unknown; readonly isFailure: boolean }): void {
    if (!this.#open.some((card) => card.name === name)) this.#add(name, undefined, {});
    this.#close((card) => card.name === name, {
      status: isFailure ? 'failed' : 'completed',
      content: [{ type: 'content', content: textOf(result) }],
      rawOutput: result,
    });
  }

  /** @param name the oldest open call if it is undefined */
  failed(name: string | undefined, error: string): void {
    if (name !== undefined && !this.#open.some((card) => card.name === name)) this.#add(name, undefined, {});
    this.#close((card) => name === undefined || card.name === name, {
      status: 'failed',
      content: [{ type: 'content', content: { type: 'text', text: error } }],
    });
  }

  /** Call this at the end of the turn: open calls get no further reports. */
  end(isCancelled: boolean): void {
    while (this.#open.length > 0) this.#close(() => true, { status: isCancelled ? 'cancelled' : 'unreported' }, 'host');
  }

  #add(name: string, args: unknown, patch: ToolPatch): Card {
    const card = { id: `call${++this.#count}`, name, args, isConfirmed: patch.status === 'pending' };
    this.#open = [...this.#open, card];
    this.#tell(card, { title: name, toolKind: kindOf(name), rawInput: args, ...patch });
    return card;
  }

  #close(fits: (card: Card) => boolean, patch: ToolPatch, origin?: 'host'): void {
    const closing = this.#open.find(fits);
    if (closing === undefined) return;
    this.#open = this.#open.filter((card) => card !== closing);
    this.#tell(closing, patch, origin);
  }

  #tell({ id }: Card, patch: ToolPatch, origin?: 'host'): void {
    this.#emit({ type: 'tool', at: this.#clock.now(), id, toolCallId: id, patch, ...(origin === undefined ? {} : { origin }) });
  }
}

function kindOf(name: string): ToolKind {
  return kinds.find(([, words]) => words.test(name))?.[0] ?? 'other';
}

function textOf(result: unknown): ContentBlock {
  return { type: 'text', text: typeof result === 'string' ? result : JSON.stringify(result ?? null, null, 2) };
}
