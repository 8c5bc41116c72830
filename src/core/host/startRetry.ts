import pRetry from 'p-retry';
import { HostError } from '../base/errors.js';

const passingErrors: ReadonlySet<unknown> = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM', 'ETXTBSY']);

/** Retries only what the operating system refuses temporarily. Permanent failures are reported at once. */
export function retryPassing<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
  return pRetry(attempt, { retries: 2, minTimeout: 100, signal, shouldRetry: ({ error }) => isPassing(error) });
}

function isPassing(error: unknown): boolean {
  if (!(error instanceof HostError) || error.code !== 'spawn_failed') return false;
  return error.cause instanceof Error && 'code' in error.cause && passingErrors.has(error.cause.code);
}
