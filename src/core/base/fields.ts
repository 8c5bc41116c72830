/** A JSON object whose members are unknown. */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a member of a value of unknown shape; undefined if it is no text. */
export function textMember(value: unknown, name: string): string | undefined {
  const member = isFields(value) ? value[name] : undefined;
  return typeof member === 'string' ? member : undefined;
}

/** What remains of an object whose members may be undefined: those that have a value. */
export type Present<T extends object> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Removes members without a value: in a change, a member that is present counts. Returns the same object if there is none. */
export function withoutAbsent<T extends object>(members: T): Present<T> {
  const entries = Object.entries(members);
  const present = entries.every(([, value]) => value !== undefined)
    ? members
    : Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  return present as Present<T>;
}
