import type { PermissionOption } from '../session/userRequest.js';
import type { NewRequest } from './hostServices.js';

/**
 * Removes options with an ID that is empty or ambiguous. The agent receives only the ID, so it could not tell what such a choice
 * means. The same option offered twice is one option.
 * @returns the request without these options, and the removed options
 */
export function withUsableOptions(request: NewRequest): { readonly request: NewRequest; readonly refused: readonly PermissionOption[] } {
  if (request.kind !== 'permission') return { request, refused: [] };
  const byId = new Map<string, PermissionOption[]>();
  for (const option of request.options) {
    const same = byId.get(option.optionId);
    if (same === undefined) byId.set(option.optionId, [option]);
    else same.push(option);
  }
  const options = [...byId.values()].flatMap((same) => (meansOne(same) ? same.slice(0, 1) : []));
  if (options.length === request.options.length) return { request, refused: [] };
  const offered = new Set(options);
  return { request: { ...request, options }, refused: request.options.filter((option) => !offered.has(option)) };
}

function meansOne([first, ...others]: readonly PermissionOption[]): boolean {
  return first !== undefined && first.optionId !== '' && others.every(({ kind, name }) => kind === first.kind && name === first.name);
}
