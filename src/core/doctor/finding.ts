/** What a doctor looks at, in the order in which it looks. */
export const checks = ['agent', 'path', 'tools', 'provider', 'shell', 'trust', 'storage', 'handshake', 'capabilities'] as const;
export type Check = (typeof checks)[number];

/** `note`: worth knowing, nothing to do; `warning`: works, and may surprise; `problem`: keeps the agent from being used. */
export const findingStates = ['ok', 'note', 'warning', 'problem'] as const;
export type FindingState = (typeof findingStates)[number];

/** One thing that was looked at. The words are for people and hold no secret: of a key only whether it is there. */
export interface Finding {
  readonly check: Check;
  readonly state: FindingState;
  /** One line. */
  readonly title: string;
  /** Further lines: paths, versions, the agent's own words. */
  readonly detail?: string;
  /** What to do about it; every warning and problem has one. */
  readonly advice?: string;
}
