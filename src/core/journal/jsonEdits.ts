/** Describes how a JSON value changed, briefly if it only grew. Pure. */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { type Fields, isFields } from '../base/fields.js';

const path = z.array(z.union([z.string(), z.number()]));

/** `keep`: the length of the text or list that stays; `of`: the length before. Otherwise `value` replaces the old value. */
export const jsonEdit = z.union([
  z.object({ path, of: z.number(), keep: z.number(), rest: z.union([z.string(), z.array(z.unknown())]) }),
  z.object({ path, value: z.optional(z.unknown()) }),
]);
export type JsonEdit = z.infer<typeof jsonEdit>;
type Path = JsonEdit['path'];
/** @returns the edits that turn `before` into `after`, to be applied in order */
export function diffJson(before: unknown, after: unknown, at: Path = []): readonly JsonEdit[] {
  if (before === after) return [];
  if (typeof before === 'string' && typeof after === 'string') {
    const keep = commonStart(before, after);
    return [{ path: at, of: before.length, keep, rest: after.slice(keep) }];
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const keep = Math.min(before.length, after.length);
    const edits = after.slice(0, keep).flatMap((one, index) => diffJson(before[index], one, [...at, index]));
    return before.length === after.length ? edits : [...edits, { path: at, of: before.length, keep, rest: after.slice(keep) }];
  }
  if (isFields(before) && isFields(after) && hasSameMembers(before, after))
    return Object.keys(after).flatMap((key) => diffJson(before[key], after[key], [...at, key]));
  return [{ path: at, value: after }];
}

/** @returns undefined if the edits are for another value */
export function applyEdits(before: unknown, edits: readonly JsonEdit[]): { readonly value: unknown } | undefined {
  let result: { readonly value: unknown } | undefined = { value: before };
  for (const edit of edits) result = result && applyAt(result.value, edit.path, edit);
  return result;
}

function applyAt(before: unknown, [key, ...below]: Path, edit: JsonEdit): { readonly value: unknown } | undefined {
  if (key === undefined) return applyHere(before, edit);
  if (Array.isArray(before) && typeof key === 'number' && key in before) {
    const changed = applyAt(before[key], below, edit);
    return changed && { value: before.with(key, changed.value) };
  }
  if (!isFields(before) || !Object.hasOwn(before, key)) return undefined;
  const changed = applyAt(before[key], below, edit);
  return changed && { value: { ...before, [key]: changed.value } };
}

function applyHere(before: unknown, edit: JsonEdit): { readonly value: unknown } | undefined {
  if (!('of' in edit)) return { value: edit.value };
  const { of, keep, rest } = edit;
  if (typeof before === 'string' && typeof rest === 'string' && before.length === of)
    return { value: keep === of ? before + rest : before.slice(0, keep) + rest };
  if (Array.isArray(before) && Array.isArray(rest) && before.length === of) return { value: before.slice(0, keep).concat(rest) };
  return undefined;
}

function commonStart(one: string, other: string): number {
  if (other.startsWith(one)) return one.length;
  const end = Math.min(one.length, other.length);
  let length = 0;
  while (length < end && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}

/** A member that is `undefined` is not in the JSON. */
function hasSameMembers(one: Fields, other: Fields): boolean {
  const isWritten = (fields: Fields): boolean => !Object.values(fields).includes(undefined);
  return isDeepStrictEqual(Object.keys(one), Object.keys(other)) && isWritten(one) && isWritten(other);
}
