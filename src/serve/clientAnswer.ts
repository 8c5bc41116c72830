/** Checks the answers of a client, because the SDK does not check their shapes. */
import { methods } from '@agentclientprotocol/sdk';
import { HostError } from '../core/index.js';

/**
 * @returns the chosen option; undefined if the request was dismissed
 * @throws HostError `invalid_response`
 */
export function chosenOption(response: unknown, offered: readonly string[]): string | undefined {
  const method = methods.client.session.requestPermission;
  const { outcome: given } = membersOf(response, method);
  const { outcome, optionId } = membersOf(given, method, 'outcome');
  if (outcome === 'cancelled') return undefined;
  if (outcome !== 'selected') throw wrongShape(method, 'outcome.outcome');
  const chosen = offered.find((one) => one === optionId);
  if (chosen === undefined) throw wrongShape(method, 'outcome.optionId');
  return chosen;
}

/**
 * @param path the position of the value in the answer
 * @throws HostError `invalid_response` if the value is not an object
 */
export function membersOf(value: unknown, method: string, path?: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrongShape(method, path);
  return { ...value };
}

export function wrongShape(method: string, path?: string): HostError {
  return new HostError('invalid_response', { reason: 'wrong_shape', method, ...(path !== undefined && { path }) });
}
