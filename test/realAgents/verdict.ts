/** The result of a case. */
export type Verdict =
  | { readonly type: 'works'; readonly note?: string }
  /** The agent itself works differently, or does not support it. */
  | { readonly type: 'agent'; readonly note: string }
  /** The host failed, or the reason is unknown. */
  | { readonly type: 'fault'; readonly note: string };

export const works = (note?: string): Verdict => (note === undefined ? { type: 'works' } : { type: 'works', note });
export const byAgent = (note: string): Verdict => ({ type: 'agent', note });
export const fault = (note: string): Verdict => ({ type: 'fault', note });
