import { isFields } from '../base/fields.js';

/** Deeper than anything that is meant, and far from where a function that calls itself for each level runs out of stack. */
export const maxLevels = 256;

/** Loops without a list or a function of their own: it looks at every long message. */
export function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  if (isFields(value)) {
    for (const key in value) if (!isWithin(value[key], levels - 1)) return false;
  } else if (Array.isArray(value)) {
    for (const member of value) if (!isWithin(member, levels - 1)) return false;
  }
  return true;
}
