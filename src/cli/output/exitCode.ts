/** How a run ended, for scripts. Documented in docs/cli.md. */
import type { HostErrorCode, TurnOutcome } from '../../core/index.js';

export const ExitCode = {
  ended: 0,
  /** The agent answered the turn with an error. */
  failed: 1,
  usage: 2,
  /** Not found, not spawned, no handshake, no common version, no session. */
  notStarted: 3,
  authRequired: 4,
  /** Ended by a refusal or a limit. */
  stoppedShort: 5,
  agentLost: 6,
  /** 128 + SIGINT, as shells count. */
  cancelled: 130,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

export function exitCodeOfTurn(outcome: TurnOutcome): ExitCode {
  switch (outcome.type) {
    case 'ended':
      return exitCodeOfStop[outcome.stopReason] ?? ExitCode.ended;
    case 'failed':
      return outcome.error.code === 'auth_required' ? ExitCode.authRequired : ExitCode.failed;
    case 'interrupted':
      return ExitCode.agentLost;
  }
}

const exitCodeOfStop: Readonly<Record<string, ExitCode>> = {
  end_turn: ExitCode.ended,
  max_tokens: ExitCode.stoppedShort,
  max_turn_requests: ExitCode.stoppedShort,
  refusal: ExitCode.stoppedShort,
  cancelled: ExitCode.cancelled,
};

/** 128 + the number of the signal, as shells count. */
export function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return { SIGINT: ExitCode.cancelled, SIGTERM: 143, SIGHUP: 129 }[String(signal)] ?? ExitCode.cancelled;
}

/** For what goes wrong before the first turn. */
export function exitCodeOfStart(code: HostErrorCode): ExitCode {
  switch (code) {
    case 'usage':
      return ExitCode.usage;
    case 'auth_required':
      return ExitCode.authRequired;
    case 'cancelled':
      return ExitCode.cancelled;
    default:
      return ExitCode.notStarted;
  }
}
