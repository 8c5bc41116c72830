import { HostError } from '../../core/index.js';

/**
 * Creates the error for an invalid command line.
 * @param message for users, without a period at the end
 */
export function usageError(message: string, options: { readonly cause?: unknown } = {}): HostError {
  return new HostError('usage', { detail: message }, options);
}
