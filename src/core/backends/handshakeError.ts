/** Why an agent that is a process could not be connected to, and how a process ended, as data of an error. */
import { HostError, toHostError } from '../base/errors.js';
import type { ExitInfo } from '../node/exitInfo.js';

/** Enough to recognize a line by. */
const noiseChars = 200;

/**
 * Why a start failed, in the codes of a start.
 * @param firstNoise redacted; what it printed where messages belong
 */
export function toHandshakeError(thrown: unknown, exit: ExitInfo | undefined, firstNoise?: string): HostError {
  const error = toHostError(thrown);
  const noise =
    firstNoise === undefined
      ? undefined
      : firstNoise
          .replaceAll(/\p{Cc}+/gu, ' ')
          .trim()
          .slice(0, noiseChars);
  const fail = (code: 'handshake_failed' | 'handshake_timeout', words: string, data: HostError['data']): HostError =>
    new HostError(code, noise === undefined ? words : `${words} ${describeNoise(noise)}`, {
      cause: error,
      data: noise === undefined ? data : { ...data, firstNoise: noise },
    });
  switch (error.code) {
    case 'request_timeout':
      return fail('handshake_timeout', 'The agent started and did not answer in time.', error.data);
    case 'agent_exited':
      return fail('handshake_failed', `The agent ended before it answered${describeExit(exit)}.`, exitData(exit));
    case 'request_failed':
    case 'invalid_response':
    case 'invalid_message':
    case 'line_too_long':
    case 'queue_full':
      return fail('handshake_failed', `The agent did not answer properly: ${error.message}`, error.data);
    default:
      return error;
  }
}

function describeNoise(firstNoise: string): string {
  return `On stdout, where only messages belong, it printed "${firstNoise}": look for the program, a wrapper or a start file of the shell that writes this.`;
}

export function describeExit(exit: ExitInfo | undefined): string {
  if (exit === undefined) return '';
  return exit.signal === null ? ` (exit code ${exit.code ?? 'unknown'})` : ` (${exit.signal})`;
}

export function exitData(exit: ExitInfo | undefined): Readonly<Record<string, unknown>> {
  return exit === undefined ? {} : { exitCode: exit.code, signal: exit.signal, ...(exit.requested ? { requested: true } : {}) };
}
