/** Exit codes, documented in docs/cli.md. */
import type { HostErrorCode, TurnOutcome } from '../../core/index.js';

export const ExitCode = {
  ended: 0,
  /** The agent answered the prompt with an error, or stdout could not be written. */
  failed: 1,
  usage: 2,
  /** Not found, not started, no handshake, no common version or no session. */
  notStarted: 3,
  authRequired: 4,
  /** The turn ended with a refusal or at a limit. */
  stoppedShort: 5,
  agentLost: 6,
  /** 128 + SIGINT, as in shells. */
  cancelled: 130,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

export function exitCodeOfTurn(outcome: TurnOutcome): ExitCode {
  switch (outcome.type) {
    case 'ended':
      return exitCodeOfStop[outcome.stopReason] ?? ExitCode.ended;
    case 'failed':
      return isRefused(outcome.error.code) ? ExitCode.authRequired : ExitCode.failed;
    case 'interrupted':
      return ExitCode.agentLost;
  }
}

function isRefused(code: HostErrorCode): boolean {
  return code === 'auth_required' || code === 'key_refused';
}

const exitCodeOfStop: Readonly<Record<string, ExitCode>> = {
  end_turn: ExitCode.ended,
  max_tokens: ExitCode.stoppedShort,
  max_turn_requests: ExitCode.stoppedShort,
  refusal: ExitCode.stoppedShort,
  cancelled: ExitCode.cancelled,
};

/** Returns 128 + the number of the signal, as in shells. */
export function exitCodeOfSignal(signal: string): number {
  return { SIGTERM: 143, SIGHUP: 129 }[signal] ?? ExitCode.cancelled;
}

/** For an error before the first turn. */
export function exitCodeOfStart(code: HostErrorCode): ExitCode {
  switch (code) {
    case 'usage':
      return ExitCode.usage;
    case 'auth_required':
    case 'key_refused':
      return ExitCode.authRequired;
    case 'cancelled':
      return ExitCode.cancelled;
    case 'install_failed':
      return ExitCode.failed;
    default:
      return ExitCode.notStarted;
  }
}
