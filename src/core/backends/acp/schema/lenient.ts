/**
 * ACP's own rules of leniency (`x-deserialize-*` in schema/v1/schema.json, SDK 2.4.0) as zod pieces,
 * and the cheap guards in front of them.
 */
import * as z from 'zod/mini';
import { type Fields, isFields } from '../../../base/fields.js';

export { type Fields, isFields };

/** default-on-error for a field where ACP takes `null` for absent. */
export function orNull<T extends z.ZodMiniType>(inner: T) {
  return z.catch(z.exactOptional(z.nullable(inner)), null);
}

/** default-on-error for a field that knows no `null`. */
export function orDefault<T extends z.ZodMiniType>(inner: T, fallback: z.output<T> & z.core.util.NoUndefined<z.output<T>>) {
  return z.catch(z.exactOptional(inner), fallback);
}

/** skip-invalid-items: a list without what `parse` does not know; `null` is an empty list where the field itself is not nullable. */
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

/** For `listOf`: undefined instead of an exception. */
export function itemParser<T>(schema: z.ZodMiniType<T>): (item: unknown) => T | undefined {
  return (item) => {
    const result = schema.safeParse(item);
    return result.success ? result.data : undefined;
  };
}

export const meta = orNull(z.record(z.string(), z.unknown()));

/** A copy without the members that fail their check: default-on-error where `null` has a meaning of its own. */
export function withoutBad(value: Fields, checks: Readonly<Record<string, Check>>): Fields {
  const bad = Object.keys(checks).filter((key) => value[key] !== undefined && checks[key]?.(value[key]) === false);
  return bad.length === 0 ? value : Object.fromEntries(Object.entries(value).filter(([key]) => !bad.includes(key)));
}

/**
 * Guards. A zod/mini object costs 12 µs for a tool update, as much as its JSON.parse; a guard costs 0.3 µs.
 * So what is well-formed passes by a guard as it is, and zod repairs the rest. A test holds the two together:
 * what a guard lets through, its schema returns unchanged.
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

/** Every member of the type is named: a field that the SDK's type gains fails to compile here. Unknown members are let through. */
export function shape<T extends object>(fields: { readonly [K in keyof Required<T>]: Check }): (value: unknown) => value is T {
  const checks: readonly (readonly [string, Check])[] = Object.entries<Check>(fields);
  return (value): value is T => {
    if (!isFields(value)) return false;
    for (const [key, check] of checks) if (!check(value[key])) return false;
    return true;
  };
}

export const isMeta = nullish(isFields);
