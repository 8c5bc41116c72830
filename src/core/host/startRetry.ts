import pRetry from 'p-retry';
import { HostError } from '../base/errors.js';

const passingErrors: ReadonlySet<unknown> = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM', 'ETXTBSY']);

/** Only what the operating system refuses for the moment is tried again; what cannot work is told at once. */
export function retryPassing<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
  return pRetry(attempt, { retries: 2, minTimeout: 100, signal, shouldRetry: ({ error }) => isPassing(error) });
}

function isPassing(error: unknown): boolean {
  if (!(error instanceof HostError) || error.code !== 'spawn_failed') return false;
  return error.cause instanceof Error && 'code' in error.cause && passingErrors.has(error.cause.code);
}
