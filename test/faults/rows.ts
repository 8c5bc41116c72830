/** Shared by the tables of the other backends: the texts of a row, and what is shown if a fault does no harm. */
import { type Expectation, type Moment, shortStartMs } from './table.js';

export type Row = { readonly [M in Moment]?: Expectation | undefined } & { readonly otherwise: string };
export type InTurn = 'prompt' | 'permission' | 'cancel';
export type Column = Readonly<Record<string, Row | string>>;

export const noMeaning = {
  process: 'the host starts no process for it',
  connection: 'it has no connection: see killed and halfLine',
  upgrade: 'there is no upgrade',
  close: 'a pipe has no close codes',
  order: 'there is one request at a time, and the parts of an answer have no numbers',
};
export const ends = 'end end_turn';
export const turn = (words: string): readonly string[] => [`user: ${words}`, `agent: ${words}`, ends];
export const ready = { status: 'ready', usable: 'at once' } as const;

export const startsAllTheSame: Expectation = { words: 'the agent starts anyway', call: 'ok', ...ready };
export const startFails = (call: string, usable: Expectation['usable'] = 'by hand'): Expectation => ({
  words: `the start fails with ${call}, and another start works`,
  call,
  status: 'failed',
  usable,
});
export const startIsLate: Expectation = { ...startFails('handshake_timeout'), deadlines: { initializeMs: shortStartMs } };

/** What the three columns show of a complete turn, and of one that ends at the fault. */
export interface Shown {
  readonly before: readonly string[];
  readonly whole: Readonly<Record<InTurn, readonly string[]>>;
  readonly cut: Readonly<Record<InTurn, readonly string[]>>;
  readonly refusal: string;
}

/** The fault does no harm: the user does not notice it. */
export function unharmed({ before, whole, refusal }: Shown, earlier: boolean): Readonly<Record<Moment, Expectation>> {
  const base = { ...ready, ...(earlier ? { earlier: true as const } : {}) };
  return {
    start: startsAllTheSame,
    initialize: startsAllTheSame,
    new: startsAllTheSame,
    prompt: {
      words: 'the turn completes, and so does the next one',
      call: 'ended end_turn',
      ...base,
      queued: 'ended end_turn',
      transcript: [...before, ...whole.prompt, ...turn('later')],
    },
    permission: {
      words: 'the request stays open, and the rejection reaches the agent',
      call: 'ended end_turn',
      ...base,
      user: 'refuses',
      asks: [refusal],
      transcript: [...before, ...whole.permission],
    },
    cancel: { words: 'the turn ends as cancelled', call: 'ended cancelled', ...base, transcript: [...before, ...whole.cancel] },
    load: { words: 'the conversation continues unchanged, without duplicates', call: 'ok', ...ready, transcript: [] },
    idle: { words: 'nothing happens', call: 'ended end_turn', ...ready, transcript: [] },
  };
}

/** Returns the cells except those of the given moments. */
export function without(cells: Readonly<Record<Moment, Expectation>>, ...left: readonly Moment[]): Partial<Record<Moment, Expectation>> {
  return Object.fromEntries(Object.entries(cells).filter(([moment]) => !left.some((one) => one === moment)));
}

/** One cell for each moment of a turn. */
export const inEach = (cell: (moment: InTurn) => Expectation): Partial<Record<Moment, Expectation>> => ({
  prompt: cell('prompt'),
  permission: cell('permission'),
  cancel: cell('cancel'),
});
