export interface CutLimits {
  /** The limit at which strings are cut. */
  readonly stringChars: number;
  /** The limit of members of an array or object; further ones are left out. */
  readonly members: number;
  /** The limit of strings and members together; everything after it is left out. Roughly the number of characters of the JSON. */
  readonly totalChars: number;
}

/**
 * Returns the beginning of a text and says how much is missing. It ends before the word at the cut, because half a secret would not be
 * recognized. The result is a copy, because a slice would keep the whole text in memory.
 */
export function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const head = Buffer.from(text.slice(0, Math.max(0, chars)).replace(lastWord, '')).toString();
  return `${head} … (${text.length - head.length} more characters)`;
}
const lastWord = /[^\s"',;()[\]{}<>]+$/;
/** Names of members are short; a longer one is treated as text. */
const keyChars = 200;

/**
 * Returns a smaller JSON value of the same shape that says what is missing. Visits no more than `totalChars` allows, however large the
 * value is.
 */
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
