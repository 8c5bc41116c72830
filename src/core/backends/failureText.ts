import { isFields } from '../base/fields.js';

/**
 * Returns what a member such as `error` says, in whatever form: protocols specify a text, and some servers send an object.
 * @returns undefined if it reports no failure
 */
export function failureText(error: unknown): string | undefined {
  if (error == null || error === false || error === '') return undefined;
  if (typeof error === 'string') return error;
  const message = isFields(error) ? (error['message'] ?? error['detail']) : undefined;
  return typeof message === 'string' && message !== '' ? message : JSON.stringify(error);
}
