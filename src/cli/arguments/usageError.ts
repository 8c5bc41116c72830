import { HostError } from '../../core/index.js';

/** The command line was used in a way that makes no sense. @param message for people, without a period at its end */
export function usageError(message: string, options: { readonly cause?: unknown } = {}): HostError {
  return new HostError('usage', { detail: message }, options);
}
