import * as z from 'zod/mini';
import { HostError, hostErrorCodes } from '../base/errors.js';

/** Reads a code that this version doesn't know as `internal`. */
const errorData = z.object({ code: z.catch(z.enum(hostErrorCodes), 'internal'), params: z.record(z.string(), z.unknown()) });

/** @returns undefined for anything but the data of a HostError */
export function readErrorData(value: unknown): HostError | undefined {
  const parsed = errorData.safeParse(value);
  return parsed.success ? HostError.from(parsed.data) : undefined;
}
