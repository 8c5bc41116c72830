/** What a case found. */
export type Verdict =
  | { readonly type: 'works'; readonly note?: string }
  /** The agent itself does it in another way, or not at all. */
  | { readonly type: 'agent'; readonly note: string }
  /** The host got it wrong, or nobody knows. */
  | { readonly type: 'fault'; readonly note: string };

export const works = (note?: string): Verdict => (note === undefined ? { type: 'works' } : { type: 'works', note });
export const byAgent = (note: string): Verdict => ({ type: 'agent', note });
export const fault = (note: string): Verdict => ({ type: 'fault', note });
