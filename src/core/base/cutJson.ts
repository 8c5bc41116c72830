export interface CutLimits {
  /** Longer strings are cut. */
  readonly stringChars: number;
  /** Members of an array or object beyond it are left out. */
  readonly members: number;
  /** Strings and members together; what comes after it is spent is left out. Roughly the characters of the JSON. */
  readonly totalChars: number;
}

/**
 * The beginning of a text, and how much is missing. Ends before the word that the cut goes through: half of a secret is not known for one.
 * A copy, for a slice would keep the whole text in memory.
 */
export function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const head = Buffer.from(text.slice(0, Math.max(0, chars)).replace(lastWord, '')).toString();
  return `${head} … (${text.length - head.length} more characters)`;
}
const lastWord = /[^\s"',;()[\]{}<>]+$/;
/** Names of members are short; what is not a name is no better than a text. */
const keyChars = 200;

/** A smaller JSON value of the same shape that says what it lacks. Walks no further than `totalChars` allows, however large the value is. */
export function cutJson(value: unknown, limits: CutLimits): unknown {
  let left = limits.totalChars;

  const cutString = (text: string): string => {
    const chars = Math.max(0, Math.min(limits.stringChars, left));
    left -= Math.min(text.length, chars) + 2;
    return cutText(text, chars);
  };
  const cut = (part: unknown): unknown => {
    if (typeof part === 'string') return cutString(part);
    if (typeof part !== 'object' || part === null) {
      left -= 4;
      return part;
    }
    return Array.isArray(part) ? cutArray(part) : cutObject(part);
  };
  const cutArray = (items: readonly unknown[]): unknown => {
    const out: unknown[] = [];
    for (const item of items) {
      if (out.length >= limits.members || left <= 0) return [...out, `… (${items.length - out.length} more)`];
      out.push(cut(item));
    }
    return out;
  };
  const cutObject = (object: object): unknown => {
    const out: Record<string, unknown> = {};
    const entries = Object.entries(object);
    for (const [index, [key, member]] of entries.entries()) {
      if (index >= limits.members || left <= 0) {
        out['…'] = `${entries.length - index} more`;
        break;
      }
      left -= key.length + 3;
      out[cutText(key, keyChars)] = cut(member);
    }
    return out;
  };
  return cut(value);
}
