/** How long processes wait for each other when several want one conversation. */

export interface LeaseTiming {
  /** The interval between two signs of life. */
  readonly signMs: number;
  /** A process without a sign of life for this long loses its conversations to others. */
  readonly silentMs: number;
  /** How long an idle owner may take to release the conversation. */
  readonly letGoMs: number;
  /** How long an owner may take that must stop a turn first. */
  readonly stopMs: number;
}

export const defaultLeaseTiming: LeaseTiming = { signMs: 1_000, silentMs: 8_000, letGoMs: 5_000, stopMs: 15_000 };
