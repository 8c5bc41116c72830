/** The example frames in the documentation of Pi's and xcsh's RPC modes. */
import { readFileSync } from 'node:fs';

export type PiDocument = 'pi-rpc' | 'xcsh-rpc';

export interface PiExample {
  readonly from: 'agent' | 'host';
  readonly frame: {
    readonly type: string;
    readonly id?: string;
    readonly command?: string;
    readonly data?: unknown;
    readonly success?: boolean;
  };
  /** The type of the resulting event; absent if there is none. */
  readonly event?: string;
  /** What the host sends instead, which means the same. */
  readonly as?: PiExample['frame'];
  /** Why the host never sends it. */
  readonly never?: string;
}

export function examplesOf(document: PiDocument): readonly PiExample[] {
  return readFileSync(new URL(`../fixtures/pi/${document}.jsonl`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): PiExample => JSON.parse(line));
}
