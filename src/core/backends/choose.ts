import { HostError } from '../base/errors.js';
import type { SessionOption } from '../session/model.js';
import { isChoice, withValue } from '../session/sessionOption.js';

/**
 * Sets an option that the agent does not store, because the host sends its value with each request.
 * @returns all options, with the new value
 * @throws HostError `usage` if there is no such option, or if it does not have this value
 */
export function choose(options: readonly SessionOption[], id: string, value: string | boolean): readonly SessionOption[] {
  const option = options.find((one) => one.id === id);
  if (option === undefined) throw new HostError('usage', { reason: 'option_unknown', option: id, offered: options.map((one) => one.id) });
  if (!isChoice(option, value)) throw new HostError('usage', { reason: 'option_unavailable', option: id, value });
  return withValue(options, id, value);
}
