/** What all lines of `--format json` share. */
import * as z from 'zod/mini';

export const schemaVersion = 1;

export const versioned = { schemaVersion: z.literal(schemaVersion) } as const;

/** How a turn ended. */
export const turnOutcome = z.enum(['ended', 'failed', 'interrupted']);
