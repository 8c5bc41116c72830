/** An agent as the conformance suite needs it. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { ConnectAgent, ConnectOptions } from '../../src/core/backends/agentBackend.js';
import type { Capability, Column, Remarks } from './capabilities.js';
import { eventsIn, type OpenSession, type Seam } from './seam.js';

/** Prompts that make the agent do something. Absent if it cannot be made to do that. */
export interface Prompts {
  /** It sends back exactly `said`, in several chunks. */
  readonly echo?: (words: string) => { readonly prompt: string; readonly said: string };
  /** It sends a request to the user, and its text shows whether the answer was yes. */
  readonly ask?: string;
  /** It sends a request, waits until it is stopped, and sends another request. */
  readonly askAgain?: string;
  /** It requests a form with the text field `name`, and its text shows whether it got values, a refusal or a cancel. */
  readonly form?: string;
  /** It continues until it is stopped. */
  readonly hang?: string;
  /** Like `hang`, but the first stop is lost. */
  readonly ignoresFirstStop?: string;
  /** Like `hang`, and it answers no calls in the meantime. */
  readonly mute?: string;
  readonly fail?: string;
  /** It exits with code 9. */
  readonly die?: string;
  /** It sends a text, and from then on it only ends if it is killed. */
  readonly deaf?: string;
  /** It starts a process that does not end by itself, and sends both process IDs, its own first. */
  readonly family?: string;
  /** It writes one line that is not a message, several unknown messages, and ends its turn. */
  readonly babble?: string;
  /** It calls a tool with the same id in each turn. */
  readonly tool?: string;
}

export interface Peer {
  readonly name: string;
  readonly connect: ConnectAgent;
  readonly agent: ConnectOptions['agent'];
  readonly prompts: Prompts;
  /** An option, and a value that differs from its initial one. */
  readonly option?: { readonly id: string; readonly value: string };
  /** A session that the agent knows, with a text that it sent in it. */
  readonly earlier?: { readonly sessionId: string; readonly said: string };
  /** Each session has its own process, so that the loss of one does not affect the others. */
  readonly sessionsApart?: boolean;
  /** A sign-in method that works, and is required before a session can be opened. */
  readonly signIn?: string;
  /** It sends each answer as a whole. */
  readonly saysAtOnce?: true;
  /** It is not started by the host: its start is tested elsewhere, and its end has no exit code. */
  readonly isServer?: true;
  /** It ends its turn as canceled when its stdin ends. */
  readonly endsTurns?: true;
  /** Its column in docs/protocols.md. Absent if it only exists for tests. */
  readonly column?: Column;
  readonly remarks?: Remarks;
}

export interface Connected extends Seam, OpenSession {}

/** Records whether something works with the peer. If it is recorded more than once, one success is enough. */
export type Note = (capability: Capability, works: boolean) => void;

/** Connects, signs in if necessary, and opens a session. */
export type Open = (t: TestContext, o?: Partial<ConnectOptions>) => Promise<Connected>;

export function pidsIn(words: string): readonly [number, number] {
  const [own, child] = /(\d+) (\d+)/.exec(words)?.slice(1).map(Number) ?? [];
  assert.ok(own !== undefined && child !== undefined, words);
  return [own, child];
}

export const messages = ({ traffic }: Pick<Seam, 'traffic'>, direction: 'sent' | 'received'): number =>
  traffic.all.filter((entry) => entry.kind === 'message' && entry.direction === direction).length;

/** Ids of the prompts in the agent's queue. */
export function queued({ told }: Pick<OpenSession, 'told'>): readonly string[] {
  const ids = new Set<string>();
  for (const event of eventsIn(told.all)) {
    if (event.type === 'queued') ids.add(event.prompt.id);
    if (event.type === 'unqueued') ids.delete(event.promptId);
  }
  return [...ids];
}
