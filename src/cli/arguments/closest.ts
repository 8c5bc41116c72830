import { closestMatch } from 'leven';

/** The name that a word with a typing error stands for, or that it alone abbreviates; undefined if none comes into question. */
export function closest(word: string, names: readonly string[]): string | undefined {
  const [abbreviated, ...others] = word.length < 3 ? [] : names.filter((name) => name.startsWith(word));
  if (abbreviated !== undefined) return others.length === 0 ? abbreviated : undefined;
  return closestMatch(word, names, { maxDistance: Math.min(Math.max(1, Math.floor(word.length / 3)), 3) });
}
