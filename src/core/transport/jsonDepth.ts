import { isFields } from '../base/fields.js';

/** Deeper than any real message, and far below the depth at which a recursive function exhausts the stack. */
export const maxLevels = 256;

/** Creates no list and no closure, because it visits every long message. */
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
