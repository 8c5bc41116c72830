import type { ClientCapabilities } from '@agentclientprotocol/sdk';
import type { Clock } from '../../../base/clock.js';
import type { Logger } from '../../../base/logger.js';
import type { HostServices } from '../../../services/hostServices.js';
import type { UserAnswer } from '../../../session/userRequest.js';
import type { AcpSession } from '../acpSession.js';
import type { AcpSessions } from '../acpSessions.js';

export interface FeatureContext {
  readonly services: HostServices;
  readonly clock: Clock;
  readonly log: Logger;
  readonly sessions: AcpSessions;
  /** Waits for a session that is being opened. */
  sessionOf(sessionId: string): Promise<AcpSession | undefined>;
  /** Something of the agent that means nothing to the host. */
  report(problem: string): void;
}

/** What of the features depends on the front end. */
export interface ClientFeatureOptions {
  /** The agent's command can be run in a terminal for signing in. */
  readonly terminalAuth: boolean;
}

/**
 * @param signal aborted when the agent withdraws its request, and when the connection ends: then its reason is the HostError that ended it
 * @throws RpcError what the agent is answered instead of a result
 */
export type AnswerRequest = (context: FeatureContext, params: unknown, signal: AbortSignal) => Promise<unknown>;

/**
 * One thing that a client can do for an agent: what is advertised for it and what implements it stand side by side, so that the one is not there
 * without the other.
 */
export interface AcpFeature {
  /** Advertised in `initialize`. Merged deeply with those of the other features. */
  readonly capabilities?: (options: ClientFeatureOptions) => ClientCapabilities;
  /** By method. A method belongs to one feature. */
  readonly requests?: Readonly<Record<string, AnswerRequest>>;
  /** By method; called in wire order, synchronously from the reader. */
  readonly notifications?: Readonly<Record<string, (context: FeatureContext, params: unknown) => void>>;
}

/** For what cannot be put before a person. */
export function refuse({ log }: FeatureContext, why: string, sessionId: string): UserAnswer {
  log.warn(`A request of the agent was answered "cancelled": ${why}`, { sessionId });
  return { type: 'cancel' };
}
