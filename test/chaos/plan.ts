/**
 * The plan of what will happen, determined by a seed: the same seed makes the same decisions, whatever the timing.
 */

export type StrikeKind =
  /** The agent's process is killed. */
  | 'kill'
  /** The agent's process is suspended, and the user forces its end. */
  | 'freeze'
  | 'cancel'
  /** The user cancels, does not wait, and forces the agent's end. */
  | 'forceStop'
  /** The window is reloaded: the host ends gracefully, and another one begins with the same journal. */
  | 'reload'
  /** Like `reload`, but without waiting for the agent. */
  | 'hastyReload';

export interface Strike {
  readonly kind: StrikeKind;
  /** After this many events of the turn, or at the agent's first request. Has no effect if the turn ends earlier. */
  readonly at: number | 'ask';
}

export interface TurnPlan {
  /** 1-based. Part of the prompt, so that each prompt is unique. */
  readonly number: number;
  readonly prompt: string;
  /** A second prompt that waits behind it. */
  readonly queued: string | undefined;
  /** How the user answers the agent's requests in this turn. */
  readonly answer: 'first' | 'last' | 'dismiss' | 'leave';
  readonly strike: Strike | undefined;
}

export interface Prompts {
  /** Each is a function of a unique word. */
  readonly ordinary: readonly ((word: string) => string)[];
  /** Make the agent send a request. */
  readonly asking: readonly ((word: string) => string)[];
  /** Show nothing and never end on their own. */
  readonly endless: readonly ((word: string) => string)[];
  /** What ends the endless ones. */
  readonly ends: readonly StrikeKind[];
  /** The approximate number of events in a turn. */
  readonly events: number;
}

/** mulberry32: 32 bits of state are enough to draw decisions. @returns in [0, 1) */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const kinds: readonly StrikeKind[] = ['kill', 'kill', 'freeze', 'cancel', 'cancel', 'forceStop', 'reload', 'hastyReload'];

export function planTurns(seed: number, count: number, prompts: Prompts): readonly TurnPlan[] {
  const random = randomFrom(seed);
  const pick = <T>(choices: readonly T[]): T => {
    const choice = choices[Math.floor(random() * choices.length)];
    if (choice === undefined) throw new Error('nothing to choose from');
    return choice;
  };
  return Array.from({ length: count }, (_, index): TurnPlan => {
    const number = index + 1;
    const sort = random() < 0.08 ? 'endless' : random() < 0.3 ? 'asking' : 'ordinary';
    const answer = sort === 'asking' ? pick(['first', 'last', 'dismiss', 'leave'] as const) : 'first';
    const at: Strike['at'] = answer === 'leave' ? 'ask' : sort === 'endless' ? 0 : Math.floor(random() * prompts.events);
    const strikes = sort === 'endless' || answer === 'leave' || random() < 0.25;
    const strike = strikes ? { kind: pick(sort === 'endless' ? prompts.ends : kinds), at } : undefined;
    const queued = random() < 0.2 ? pick(prompts.ordinary)(`behind-${number}`) : undefined;
    return { number, prompt: pick(prompts[sort])(`turn-${number}`), queued, answer, strike };
  });
}

/** One kill of the engine. */
export interface KillPlan {
  /** 1-based. */
  readonly number: number;
  readonly prompt: string;
  /** A second prompt that the other window sends, and that waits behind it. */
  readonly queued: string | undefined;
  /** The window that sends the first prompt. */
  readonly sender: 0 | 1;
  /** `asked`: while a request is open. `write`: in the middle of a write to the disk. `turn`: at any time. */
  readonly strike: 'asked' | 'write' | 'turn';
  /** Changes of the turn that a window sees first. */
  readonly after: number;
  /** Otherwise the engine may be killed while the terminal comes to the conversation. */
  readonly waitsForTerminal: boolean;
  /** What the user does with the interrupted turn. */
  readonly choice: 'resend' | 'leave';
  readonly answer: 'first' | 'last' | 'dismiss';
}

export function planKills(seed: number, count: number): readonly KillPlan[] {
  const random = randomFrom(seed);
  const pick = <T>(...choices: readonly [T, ...T[]]): T => choices[Math.floor(random() * choices.length)] ?? choices[0];
  return Array.from({ length: count }, (_, index): KillPlan => {
    const number = index + 1;
    // Each kind among the first three.
    const strike = number <= 3 ? ((['asked', 'write', 'turn'] as const)[index] ?? 'turn') : pick('asked', 'write', 'turn', 'turn');
    const asking = pick(`write ${number}.txt some words`, `ask one ${number}`, `run echo ${number}`);
    const streaming = `long 2000 ${number}`;
    return {
      number,
      prompt: strike === 'asked' ? asking : strike === 'write' ? streaming : pick(streaming, streaming, `long 2 ${number}`),
      queued: random() < 0.5 ? pick(`think about ${number}`, `long 1 behind ${number}`) : undefined,
      sender: pick(0, 1),
      strike,
      after: Math.floor(random() * 40),
      waitsForTerminal: random() < 0.6,
      choice: pick('resend', 'leave'),
      answer: pick('first', 'last', 'dismiss'),
    };
  });
}
