import type { ClientCapabilities } from '@agentclientprotocol/sdk';
import type { Clock } from '../../../base/clock.js';
import type { Logger } from '../../../base/logger.js';
import { ErrorCode, RpcError } from '../../../rpc/peer.js';
import type { HostServices } from '../../../services/hostServices.js';
import type { UserAnswer } from '../../../session/userRequest.js';
import type { AskingSession } from '../askingSession.js';
import type { AskingCall } from '../acpCalls.js';
import type { AcpSessions } from '../acpSessions.js';

/** With what became stable after SDK 2.4.0. */
export type HostCapabilities = ClientCapabilities & { readonly plan?: Record<string, never>; readonly subagents?: Record<string, never> };

/** A page that the user is asked to open, or has open. */
export interface AskedPage {
  /** The agent's own. */
  readonly id: string;
  readonly done: AbortController;
  isOpened: boolean;
}

export interface FeatureContext {
  readonly services: HostServices;
  readonly clock: Clock;
  readonly log: Logger;
  readonly sessions: AcpSessions;
  /** What commands of the agent inherit. */
  readonly environment: NodeJS.ProcessEnv;
  /** Oldest first. */
  readonly pages: Set<AskedPage>;
  /** The call of the host that has this id, while it is not answered and somebody can be asked because of it. */
  callOf(requestId: string | number): AskingCall | undefined;
  /** Waits for a session that is being opened. A sub-agent has one, too. */
  sessionOf(sessionId: string): Promise<AskingSession | undefined>;
  /** Reports something from the agent that the host doesn't understand. @param isLost it should have been shown */
  report(problem: string, isLost?: boolean): void;
}

/** What the features need to know about the front end. */
export interface ClientFeatureOptions {
  /** The front end can run the agent's command in a terminal for signing in. */
  readonly terminalAuth: boolean;
  /** The host gives access to files. */
  readonly files: boolean;
  /** What the agent sends goes to a client that may read less of it than the host does. */
  readonly isRelayed: boolean;
}

/**
 * @param signal is aborted when the agent withdraws its request, and when the connection ends; then its reason is the HostError that ended
 * it
 * @throws RpcError the agent's answer instead of a result
 */
export type AnswerRequest = (context: FeatureContext, params: unknown, signal: AbortSignal) => Promise<unknown>;

/**
 * One thing that a client can do for an agent. The capability and its implementation are in one place, so that neither exists without the
 * other.
 */
export interface AcpFeature {
  /** Advertised in `initialize`, merged deeply with those of the other features. */
  readonly capabilities?: (options: ClientFeatureOptions) => HostCapabilities;
  /** By method. A method belongs to one feature only. */
  readonly requests?: Readonly<Record<string, AnswerRequest>>;
  /** By method; called in wire order, synchronously from the reader. */
  readonly notifications?: Readonly<Record<string, (context: FeatureContext, params: unknown) => void>>;
}

/** @throws RpcError the answer to a request in a session that is not open */
export async function openSession({ sessionOf }: FeatureContext, sessionId: string): Promise<AskingSession> {
  const session = await sessionOf(sessionId);
  if (session === undefined) throw new RpcError(ErrorCode.resourceNotFound, 'The session is not open');
  return session;
}

/** Answers a request that cannot be shown to the user, who is told so at the end of the turn that runs meanwhile. */
export function refuse(context: FeatureContext, why: string, sessionId: string): UserAnswer {
  context.report('a request for a session that is not open', context.sessions.isForUser(sessionId));
  warnOfCancel(context, why, sessionId);
  return { type: 'cancel' };
}

/** Tells the author of the agent why a request of it is canceled. */
export function warnOfCancel({ log }: FeatureContext, why: string, sessionId: string): void {
  log.warn(`Canceled a request of the agent: ${why}`, { sessionId });
}
