/** The lines of a file in which Pi saves a session. Source: pi 1.5.2, docs/session-format.md; pi 0.74.2 and omp 14.9.9 have the same. */
import * as z from 'zod/mini';
import { maybe } from './lenient.js';
import { messageSchema } from './messages.js';

const at = { timestamp: maybe(z.string()) };

export const savedLineSchema = z.discriminatedUnion('type', [
  /** The first line. */
  z.object({ type: z.literal('session'), id: z.string(), cwd: z.string(), ...at }),
  /** The last of these lines counts. */
  z.object({ type: z.literal('session_info'), name: maybe(z.string()), ...at }),
  z.object({ type: z.literal('message'), message: maybe(messageSchema), ...at }),
]);
export type SavedLine = z.infer<typeof savedLineSchema>;
