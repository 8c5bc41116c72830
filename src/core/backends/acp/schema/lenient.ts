/**
 * ACP's own rules for invalid values (`x-deserialize-*` in schema/v1/schema.json, SDK 2.4.0) as zod schemas, and the cheap guards in front
 * of them.
 */
import * as z from 'zod/mini';
import { type Fields, isFields } from '../../../base/fields.js';

export { type Fields, isFields };

/** default-on-error for a field in which ACP treats `null` as absent. */
export function orNull<T extends z.ZodMiniType>(inner: T) {
  return z.catch(z.exactOptional(z.nullable(inner)), null);
}

/** default-on-error for a field that cannot be `null`. */
export function orDefault<T extends z.ZodMiniType>(inner: T, fallback: z.output<T> & z.core.util.NoUndefined<z.output<T>>) {
  return z.catch(z.exactOptional(inner), fallback);
}

/**
 * skip-invalid-items: a list without the items that `parse` does not accept; `null` is an empty list if the field itself is not nullable.
 */
export function listOf<T>(parse: (item: unknown) => T | undefined) {
  return z.pipe(
    z.array(z.unknown()),
    z.transform((items) =>
      items.flatMap((item) => {
        const parsed = parse(item);
        return parsed === undefined ? [] : [parsed];
      }),
    ),
  );
}

/**
 * A list that replaces the known one: as `listOf`, but a list without any valid item is invalid, so that it doesn't erase what is known.
 */
export function replacingListOf<T>(parse: (item: unknown) => T | undefined) {
  return z.pipe(
    z.array(z.unknown()),
    z.transform((items, context): T[] => {
      const valid = items.flatMap((item) => parse(item) ?? []);
      if (valid.length === 0 && items.length > 0) context.issues.push({ code: 'custom', message: 'no valid item', input: items });
      return valid;
    }),
  );
}

/** Returns a parser for `listOf` that returns undefined instead of throwing. */
export function itemParser<T>(schema: z.ZodMiniType<T>): (item: unknown) => T | undefined {
  return (item) => {
    const result = schema.safeParse(item);
    return result.success ? result.data : undefined;
  };
}

export const meta = orNull(z.record(z.string(), z.unknown()));

/** Returns a copy without the members that fail their check: default-on-error for fields in which `null` has its own meaning. */
export function withoutBad(value: Fields, checks: Readonly<Record<string, Check>>): Fields {
  const bad = Object.keys(checks).filter((key) => value[key] !== undefined && checks[key]?.(value[key]) === false);
  return bad.length === 0 ? value : Object.fromEntries(Object.entries(value).filter(([key]) => !bad.includes(key)));
}

/**
 * A guard. Parsing a tool update with zod/mini takes 12 µs, as much as its JSON.parse; a guard takes 0.3 µs. Valid values therefore pass a
 * guard unchanged, and zod repairs the rest. A test makes sure that both agree: a schema returns every value that its guard accepts
 * unchanged.
 */
export type Check = (value: unknown) => boolean;

export const isText: Check = (value) => typeof value === 'string';
export const isNumber: Check = (value) => typeof value === 'number';
export const anything: Check = () => true;

export function maybe(check: Check): Check {
  return (value) => value === undefined || check(value);
}

export function nullish(check: Check): Check {
  return (value) => value === undefined || value === null || check(value);
}

export function oneOf(values: readonly string[]): Check {
  return (value) => typeof value === 'string' && values.includes(value);
}

export function every(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

/** Requires every member of the type, so that a new field of the SDK's type does not compile here. Accepts unknown members. */
export function shape<T extends object>(fields: { readonly [K in keyof Required<T>]: Check }): (value: unknown) => value is T {
  const checks: readonly (readonly [string, Check])[] = Object.entries<Check>(fields);
  return (value): value is T => {
    if (!isFields(value)) return false;
    for (const [key, check] of checks) if (!check(value[key])) return false;
    return true;
  };
}

export const isMeta = nullish(isFields);
