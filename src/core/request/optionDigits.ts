import type { PermissionOption } from '../session/userRequest.js';

const digits: Readonly<Record<PermissionOption['kind'], number | undefined>> = {
  allow_once: 1,
  allow_always: 2,
  reject_once: 3,
  reject_always: 4,
  other: undefined,
};

/**
 * Returns the number that chooses each option. The first of each kind has the same number in every request, so that nobody rejects with the
 * digit that allowed a moment ago; all others count from 5. The options of a question are no decisions of these kinds, and count from 1.
 * @param options sorted by kind
 */
export function optionDigits(options: readonly PermissionOption[], isQuestion: boolean): readonly number[] {
  if (isQuestion) return options.map((_, index) => index + 1);
  const taken = new Set<number>();
  let next = 5;
  return options.map(({ kind }) => {
    const own = digits[kind];
    if (own === undefined || taken.has(own)) return next++;
    taken.add(own);
    return own;
  });
}
