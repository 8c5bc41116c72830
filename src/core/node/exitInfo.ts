/** How a process ended. `requested` means that the host ended it. */
export interface ExitInfo {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly requested: boolean;
}
