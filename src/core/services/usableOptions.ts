import type { PermissionOption } from '../session/userRequest.js';
import type { NewRequest } from './hostServices.js';

/**
 * Removes options with an ID that is empty or ambiguous. The agent receives only the ID, so it could not tell what such a choice
 * means. The same option offered twice is one option.
 * @returns the request without these options, and the removed options
 */
export function withUsableOptions(request: NewRequest): { readonly request: NewRequest; readonly refused: readonly PermissionOption[] } {
  if (request.kind !== 'permission') return { request, refused: [] };
  const options = request.options.filter(isUsable);
  if (options.length === request.options.length) return { request, refused: [] };
  return { request: { ...request, options }, refused: request.options.filter((option) => !options.includes(option)) };
}

function isUsable({ optionId, kind, name }: PermissionOption, index: number, all: readonly PermissionOption[]): boolean {
  const same = all.filter((other) => other.optionId === optionId);
  const meansOne = same.every((other) => other.kind === kind && other.name === name);
  return optionId !== '' && meansOne && all.findIndex((other) => other.optionId === optionId) === index;
}
