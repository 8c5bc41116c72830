/** Deeper than anything that is meant, and far from where a function that calls itself for each level runs out of stack. */
export const maxLevels = 256;

export function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isWithin(member, levels - 1));
}
