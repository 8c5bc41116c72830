import type { HostError, HostErrorCode } from '../base/errors.js';
import type { ExitInfo } from '../node/spawnProcess.js';

// Decides whether and when to restart an agent that ended. Pure: the caller passes time and randomness.

/**
 * Whether a restart can help. `lost`: it can. `handshake_failed`: it can once, because the agent started but never became usable. `cannot_work`:
 * the same start would fail in the same way. `not_needed`: the agent ended as intended.
 */
export type EndClass = 'lost' | 'handshake_failed' | 'cannot_work' | 'not_needed';

/** Without the command or the user's sign-in, no start succeeds. */
const hopeless: ReadonlySet<HostErrorCode> = new Set(['agent_not_found', 'auth_required', 'key_refused']);

/** Exit code 2 before the handshake: by convention, and in agentao, invalid arguments. */
const usageExitCode = 2;

export interface AgentEnd {
  readonly error: HostError;
  readonly exit: ExitInfo | undefined;
  readonly phase: 'starting' | 'running';
  /** A turn was running, so no exit of the agent counts as normal. */
  readonly isMidTurn?: boolean;
}

export function classifyEnd({ error, exit, phase, isMidTurn = false }: AgentEnd): EndClass {
  if (hopeless.has(error.code)) return 'cannot_work';
  // The operating system refused, which may pass.
  if (error.code === 'spawn_failed') return error.params.reason === 'folder_missing' ? 'cannot_work' : 'lost';
  // Otherwise the server is not the expected one, or the connection is not secure.
  if (error.code === 'connect_failed') return isPassing(error) ? 'lost' : 'cannot_work';
  if (error.code === 'cancelled' || exit?.requested === true) return 'not_needed';
  if (phase === 'starting') return exitCodeOf(error, exit) === usageExitCode ? 'cannot_work' : 'handshake_failed';
  return exit?.code === 0 && !isMidTurn ? 'not_needed' : 'lost';
}

const passingReasons: ReadonlySet<unknown> = new Set(['unreachable', 'no_answer', 'closed']);

/** A server that is restarting doesn't answer, or answers that it is not available yet. */
function isPassing({ params: { reason, status } }: HostError): boolean {
  return passingReasons.has(reason) || (reason === 'http_status' && Number(status) >= 500);
}

/** The error of a failed start contains its exit code. */
function exitCodeOf(error: HostError, exit: ExitInfo | undefined): unknown {
  return exit?.code ?? error.params['exitCode'];
}

export interface RestartLimits {
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** The number of starts within the window that opens the circuit breaker. */
  readonly starts: number;
  readonly windowMs: number;
  /** A process that ran for this long counts as healthy. */
  readonly healthyMs: number;
  /** The number of failed handshakes in a row that can't be a coincidence. */
  readonly handshakeFailures: number;
}

export const defaultRestartLimits: RestartLimits = {
  firstDelayMs: 1_000,
  maxDelayMs: 30_000,
  starts: 5,
  windowMs: 180_000,
  healthyMs: 60_000,
  handshakeFailures: 2,
};

export interface RestartHistory {
  /** The times of the automatic starts since the agent was last healthy, oldest first; milliseconds since the epoch. */
  readonly starts: readonly number[];
  readonly handshakeFailures: number;
}

export const cleanHistory: RestartHistory = { starts: [], handshakeFailures: 0 };

export type RestartDecision =
  | {
      readonly type: 'restart';
      readonly delayMs: number;
      /** 1-based. */
      readonly attempt: number;
      readonly of: number;
      readonly history: RestartHistory;
    }
  /** `too_often`: the circuit breaker is open. */
  | { readonly type: 'stay'; readonly why: 'cannot_work' | 'too_often' | 'not_needed' };

/** @param random in [0, 1): spreads restarts that would otherwise happen at the same time */
export function decideRestart(end: EndClass, before: RestartHistory, now: number, random: number, limits: RestartLimits): RestartDecision {
  if (end === 'not_needed' || end === 'cannot_work') return { type: 'stay', why: end };
  const handshakeFailures = end === 'handshake_failed' ? before.handshakeFailures + 1 : 0;
  const starts = before.starts.filter((at) => now - at < limits.windowMs);
  if (handshakeFailures >= limits.handshakeFailures) return { type: 'stay', why: 'cannot_work' };
  if (starts.length >= limits.starts) return { type: 'stay', why: 'too_often' };
  const attempt = starts.length + 1;
  const full = Math.min(limits.firstDelayMs * 2 ** starts.length, limits.maxDelayMs);
  const delayMs = Math.round(full * (0.75 + random / 4));
  return { type: 'restart', delayMs, attempt, of: limits.starts, history: { starts: [...starts, now + delayMs], handshakeFailures } };
}
