/** How a process ended. `requested`: we ended it ourselves. */
export interface ExitInfo {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly requested: boolean;
}
