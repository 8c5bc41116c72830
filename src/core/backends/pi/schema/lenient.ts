/** Schemas for an agent whose versions differ: an invalid member counts as absent. */
import * as z from 'zod/mini';

export function maybe<T extends z.ZodMiniType>(inner: T) {
  return z.catch(z.optional(inner), undefined);
}

/** Leaves out invalid items. */
export function validOf<T>(item: z.ZodMiniType<T>) {
  return z.pipe(
    z.array(z.unknown()),
    z.transform((items) =>
      items.flatMap((one) => {
        const parsed = item.safeParse(one);
        return parsed.success ? [parsed.data] : [];
      }),
    ),
  );
}

/** As `validOf`; anything but a list is an empty one. */
export function listOf<T>(item: z.ZodMiniType<T>) {
  return z.catch(validOf(item), []);
}

/** An id that the host returns or compares as a text. */
export const idSchema = z.pipe(z.union([z.string(), z.number()]), z.transform(String));
