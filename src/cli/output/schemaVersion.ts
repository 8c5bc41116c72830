/** What all lines of `--format json` share. */
import * as z from 'zod/mini';
import { unkeptReasons } from '../../core/index.js';

export const schemaVersion = 1;

export const versioned = { schemaVersion: z.literal(schemaVersion) } as const;

/** How a turn ended. */
export const turnOutcome = z.enum(['ended', 'failed', 'interrupted']);

const flag = z.optional(z.literal(true));

/** What a turn did to a file. */
export const changedFile = z.strictObject({
  /** Relative to the folder of the conversation, with `/`. */
  path: z.string(),
  status: z.enum(['added', 'modified', 'deleted', 'renamed']),
  /** The earlier path of a renamed file. */
  from: z.optional(z.string()),
  /** In lines; 0 for a file without text. */
  added: z.number(),
  removed: z.number(),
  binary: flag,
  /** `tool`: a tool call announced the change. `other`: nobody did, so a command or another program made it. */
  by: z.enum(['tool', 'other']),
  /** The change may be the user's, who saved the file during the turn, or who changed it after the turn was `interrupted`. */
  alsoUser: flag,
  /** It was undone since. */
  undone: flag,
  /** A version of it is not saved, so it can't be undone: it is over 5 MB, may hold secrets, can't be read, was changed before it was recorded, or was removed from the project's repository. */
  unkept: z.optional(z.enum(unkeptReasons)),
});

export type ChangedFileFacts = z.infer<typeof changedFile>;

/**
 * `late`: the agent began before the files were recorded. `shared`: another conversation worked in the folder at the same time. `interrupted`:
 * acp-host ended unexpectedly during the turn, so there may be changes that were made later.
 */
export const changesProblems = z.optional(z.array(z.enum(['late', 'shared', 'interrupted'])));
