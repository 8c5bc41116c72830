/** One message as it crossed the pipe. `message` is what was parsed or will be written; `noise` is a line that was no message. */
export type TrafficEntry =
  | { readonly at: number; readonly direction: 'received' | 'sent'; readonly kind: 'message'; readonly message: unknown; readonly bytes: number }
  | { readonly at: number; readonly direction: 'received'; readonly kind: 'noise'; readonly text: string; readonly bytes: number };
