import type { Redactor } from '../base/redact.js';
import type { SessionEvent } from '../session/event.js';
import { isSameMessage } from '../session/eventBatcher.js';
import { subagentItemId } from '../session/reduceSubagent.js';

type Message = Extract<SessionEvent, { type: 'message' }>;
/** A chunk of a message that contains only text. */
type Piece = Message & { readonly content: { readonly type: 'text'; readonly text: string } };

/** The maximum length of a secret; longer text is released. */
const heldChars = 16 * 1024;

const beside: ReadonlySet<SessionEvent['type']> = new Set(['commands', 'options', 'context', 'info', 'usage']);

/**
 * Redacts secrets that an agent streams in chunks, none of which looks like a secret by itself. It holds back the end of a chunk that may
 * begin a secret until the next chunk, and nothing else, because held text is lost if the host dies.
 */
export class StreamRedactor {
  readonly #redactor: Redactor;
  #held: readonly Piece[] = [];
  /** The tool calls and sub-agents so far. Their updates belong to their cards, not between two texts. */
  readonly #tools = new Set<string>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** @returns what may be saved now, in order */
  pass(events: readonly SessionEvent[]): readonly SessionEvent[] {
    const passed: SessionEvent[] = [];
    for (const event of events) {
      if (isPiece(event)) this.#take(event, passed);
      else {
        if (!this.#isBeside(event)) passed.push(...this.rest());
        passed.push(event);
      }
    }
    return passed;
  }

  /** Returns what is still held back. */
  rest(): readonly SessionEvent[] {
    const held = this.#held;
    this.#held = [];
    return this.#join(held);
  }

  /** Whether the event doesn't end a text, so that the next chunk of a secret may follow it. */
  #isBeside(event: SessionEvent): boolean {
    // The end of a finished plan is a notice in the transcript, and a plan in Markdown an item.
    if (event.type === 'plan') return event.entries.length > 0;
    if (event.type !== 'tool' && event.type !== 'subagent') return beside.has(event.type);
    const id = event.type === 'tool' ? event.id : subagentItemId(event.agentId);
    const isKnown = this.#tools.has(id);
    this.#tools.add(id);
    return isKnown;
  }

  #take(piece: Piece, passed: SessionEvent[]): void {
    const [last] = this.#held;
    if (last !== undefined && !isSameMessage(last, piece)) passed.push(...this.rest());
    const pieces = [...this.#held, piece];
    const text = textOf(pieces);
    const tailAt = this.#redactor.tailAt(text);
    const isTooLong = text.length - tailAt > heldChars;
    const [before, after] = isTooLong ? [pieces, []] : splitAt(pieces, tailAt);
    this.#held = after;
    passed.push(...this.#join(before));
  }

  /** Returns the chunks unchanged, unless they contain a secret. */
  #join(pieces: readonly Piece[]): readonly SessionEvent[] {
    // An empty chunk adds nothing to a message, not even its time.
    const last = pieces.findLast(({ content }) => content.text !== '') ?? pieces.at(-1);
    if (last === undefined) return [];
    const text = textOf(pieces);
    if (pieces.length === 1 || this.#redactor.text(text) === text) return pieces;
    return [withText(last, text)];
  }
}

function isPiece(event: SessionEvent): event is Piece {
  return event.type === 'message' && event.content.type === 'text' && Object.keys(event.content).length === 2;
}

function withText(piece: Piece, text: string): Piece {
  return { ...piece, content: { type: 'text', text } };
}

function textOf(pieces: readonly Piece[]): string {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return only.content.text;
  return pieces.map(({ content }) => content.text).join('');
}

function splitAt(pieces: readonly Piece[], index: number): readonly [readonly Piece[], readonly Piece[]] {
  const before: Piece[] = [];
  const after: Piece[] = [];
  let start = 0;
  for (const piece of pieces) {
    const { text } = piece.content;
    const at = Math.min(Math.max(index - start, 0), text.length);
    // Once something is held back, an empty chunk waits behind it too.
    if (at === text.length && after.length === 0) before.push(piece);
    else if (at === 0) after.push(piece);
    else {
      before.push(withText(piece, text.slice(0, at)));
      after.push(withText(piece, text.slice(at)));
    }
    start += text.length;
  }
  return [before, after];
}
