/** An agent as the conformance suite needs it. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { ConnectAgent, ConnectOptions } from '../../src/core/backends/agentBackend.js';
import type { Capability, Column, Remarks } from './capabilities.js';
import { eventsIn, type OpenSession, type Seam } from './seam.js';

/** What to say to the agent so that it does something. Absent: it cannot be made to do that. */
export interface Prompts {
  /** It says words back; exactly these, in several pieces. */
  readonly echo?: (words: string) => { readonly prompt: string; readonly said: string };
  /** It asks its user, and says different things for a yes and for anything else. */
  readonly ask?: string;
  /** It asks, waits until it is stopped, and asks once more. */
  readonly askAgain?: string;
  /** It asks for `name`, a text, and says what it was told: different things for values, a no and a cancel. */
  readonly form?: string;
  /** It goes on until it is stopped. */
  readonly hang?: string;
  /** As `hang`, where the first stop is lost. */
  readonly ignoresFirstStop?: string;
  /** As `hang`, and answers no call meanwhile. */
  readonly mute?: string;
  readonly fail?: string;
  /** It exits with 9. */
  readonly die?: string;
  /** It does not end by itself any more; says so. */
  readonly deaf?: string;
  /** It starts a process that does not end by itself, and says its own pid and the other's. */
  readonly family?: string;
  /** It writes one line that is no message at least, and messages that nobody knows, and ends its turn. */
  readonly babble?: string;
  /** It runs a tool, with the same id in each turn. */
  readonly tool?: string;
}

export interface Peer {
  readonly name: string;
  readonly connect: ConnectAgent;
  readonly agent: ConnectOptions['agent'];
  readonly prompts: Prompts;
  /** A value that the option does not have at first. */
  readonly option?: { readonly id: string; readonly value: string };
  /** A session that the agent knows, with words that it said in it. */
  readonly earlier?: { readonly sessionId: string; readonly said: string };
  /** Each session has a process of its own: what befalls one leaves the others alone. */
  readonly sessionsApart?: boolean;
  /** A way to sign in that works, without which no session is opened. */
  readonly signIn?: string;
  /** Its answers are never in pieces. */
  readonly saysAtOnce?: true;
  /** It is no process of ours: how it starts is tested elsewhere, and its end has no exit. */
  readonly isServer?: true;
  /** It ends its turn as canceled when its stdin ends. */
  readonly endsTurns?: true;
  /** Where docs/protocols.md says what works with it. Absent: it is of no use but to test. */
  readonly column?: Column;
  readonly remarks?: Remarks;
}

export interface Connected extends Seam, OpenSession {}

/** What the peer can do: with more than one way to it, any is enough. */
export type Note = (capability: Capability, works: boolean) => void;

/** Connects, signs in where that is needed, and opens a session. */
export type Open = (t: TestContext, o?: Partial<ConnectOptions>) => Promise<Connected>;

export function pidsIn(words: string): readonly [number, number] {
  const [own, child] = /(\d+) (\d+)/.exec(words)?.slice(1).map(Number) ?? [];
  assert.ok(own !== undefined && child !== undefined, words);
  return [own, child];
}

export const messages = ({ traffic }: Pick<Seam, 'traffic'>, direction: 'sent' | 'received'): number =>
  traffic.all.filter((entry) => entry.kind === 'message' && entry.direction === direction).length;

/** Ids of the prompts that stand in the agent's queue. */
export function queued({ told }: Pick<OpenSession, 'told'>): readonly string[] {
  const ids = new Set<string>();
  for (const event of eventsIn(told.all)) {
    if (event.type === 'queued') ids.add(event.prompt.id);
    if (event.type === 'unqueued') ids.delete(event.promptId);
  }
  return [...ids];
}
