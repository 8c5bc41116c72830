/** Why a connection to an agent process failed, and how the process ended, as params of an error. */
import { cutJson } from '../base/cutJson.js';
import { type ErrorParams, HostError, toHostError } from '../base/errors.js';
import type { Redactor } from '../base/redact.js';
import type { ExitInfo } from '../node/spawnProcess.js';
import type { PeerMisfit } from '../rpc/peer.js';

/** Enough to recognize a line. */
const noiseChars = 200;
const misfitLimits = { stringChars: noiseChars, members: 20, totalChars: 1_000 };

/** What an agent sent instead of an answer; redacted. */
interface Instead {
  readonly firstNoise?: string;
  /** Why a message is not the answer, and its beginning. */
  readonly misfit?: PeerMisfit['kind'] | 'unfinished';
  readonly quote?: string;
}

export function insteadOf(
  o: { readonly firstNoise: string | undefined; readonly unfinished?: string | undefined; readonly misfit?: PeerMisfit | undefined },
  redactor: Pick<Redactor, 'text' | 'json'>,
): Instead {
  const { firstNoise, unfinished, misfit } = o;
  const quote = (text: string): string => shorten(redactor.text(text));
  // After lines of text, a line of text that has just begun tells nothing new.
  const isMessage = unfinished !== undefined && (firstNoise === undefined || /^[{[]/.test(unfinished));
  return {
    ...(firstNoise !== undefined && { firstNoise: quote(firstNoise) }),
    ...(isMessage && { misfit: 'unfinished', quote: quote(unfinished) }),
    ...(misfit !== undefined && {
      misfit: misfit.kind,
      quote: quote(JSON.stringify(redactor.json(cutJson(misfit.message, misfitLimits)))),
    }),
  };
}

/** Maps a failed start to the error codes of a start. */
export function toHandshakeError(thrown: unknown, exit: ExitInfo | undefined, noise: Instead): HostError {
  const error = toHostError(thrown);
  switch (error.code) {
    case 'request_timeout':
      return new HostError('handshake_timeout', { ...factsOf(error), ...noise }, { cause: error });
    case 'agent_exited':
      // The host ended the agent because of what it sent.
      if (error.params.reason === 'message_too_large' || error.params.reason === 'bad_frame') return badAnswer(error, noise);
      return new HostError('handshake_failed', { reason: 'exited', ...exitParams(exit), ...noise }, { cause: error });
    case 'request_failed':
    case 'invalid_response':
    case 'invalid_message':
    case 'line_too_long':
    case 'queue_full':
      return badAnswer(error, noise);
    case 'connect_failed':
    case 'key_refused':
      // The server closed the connection, and may have said why.
      return error.params.reason === 'closed' || error.params.reason === 'missing' ? error.with({ ...noise }) : error;
    default:
      return error;
  }
}

function badAnswer(error: HostError, noise: Instead): HostError {
  return new HostError(
    'handshake_failed',
    { ...factsOf(error), reason: 'bad_answer', because: error.toData(), ...noise },
    { cause: error },
  );
}

function factsOf({ params: { reason: _, ...facts } }: HostError): Omit<ErrorParams, 'reason'> {
  return facts;
}

function shorten(noise: string): string {
  return noise
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, noiseChars);
}

export function exitParams(exit: ExitInfo | undefined): Readonly<Record<string, unknown>> {
  return exit === undefined ? {} : { exitCode: exit.code, signal: exit.signal, ...(exit.requested ? { requested: true } : {}) };
}
