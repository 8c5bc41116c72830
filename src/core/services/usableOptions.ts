import type { PermissionOption } from '../session/userRequest.js';
import type { NewRequest } from './hostServices.js';

/**
 * An id is what the agent is told, so one that is empty, or means two different things, says nothing: whoever chose it would not know what was
 * chosen. The same option offered twice is one option.
 * @returns the request without the options that nobody can choose, and those
 */
export function withUsableOptions(request: NewRequest): { readonly request: NewRequest; readonly refused: readonly PermissionOption[] } {
  if (request.kind !== 'permission') return { request, refused: [] };
  const options = request.options.filter(isUsable);
  if (options.length === request.options.length) return { request, refused: [] };
  return { request: { ...request, options }, refused: request.options.filter((option) => !options.includes(option)) };
}

function isUsable({ optionId, kind }: PermissionOption, index: number, all: readonly PermissionOption[]): boolean {
  const same = all.filter((other) => other.optionId === optionId);
  return optionId !== '' && same.every((other) => other.kind === kind) && all.findIndex((other) => other.optionId === optionId) === index;
}
