/** What a doctor looks at, in the order in which it looks. */
export type Check = 'agent' | 'path' | 'tools' | 'provider' | 'shell' | 'trust' | 'storage' | 'handshake' | 'capabilities';

/** `note`: worth knowing, nothing to do; `warning`: works, and may surprise; `problem`: keeps the agent from being used. */
export type FindingState = 'ok' | 'note' | 'warning' | 'problem';

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
