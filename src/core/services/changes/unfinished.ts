/** What an engine that is killed leaves unfinished: turns that run, and undos. Each has a file in the repository of its folder. */
import { join } from 'node:path';
import * as z from 'zod/mini';
import { parseJson } from '../../base/parseJson.js';
import { namesIn, readSmallFile, removeSmallFile, replaceSmallFile } from '../../node/smallFiles.js';
import type { Snapshot } from './snapshot.js';
import type { UndoUnit } from './undo.js';

export interface UnfinishedTurn {
  readonly type: 'turn';
  /** Of the turn. */
  readonly id: string;
  readonly conversationId: string;
  readonly before: Snapshot;
  /** The state before the turn was known only after the agent had begun. */
  readonly isLate: boolean;
  /** What was known when the turn was looked at last. */
  readonly seen?: {
    readonly snapshot: Snapshot;
    /** The files that its tool calls had named, as in ChangedFile. */
    readonly named: ReadonlySet<string>;
  };
}

export interface UnfinishedUndo {
  readonly type: 'undo';
  /** Of the change set that the undo becomes. */
  readonly id: string;
  readonly conversationId: string;
  /** The change sets that are taken back, the newest first. */
  readonly sets: readonly string[];
  /** All contents are recorded. */
  readonly units: readonly UndoUnit[];
}

export type Unfinished = UnfinishedTurn | UnfinishedUndo;

const entries = <T extends z.ZodMiniType>(value: T) => z.array(z.tuple([z.string(), value]));
const snapshotSchema = z.pipe(
  z.object({ at: z.number(), trees: entries(z.string()), unkept: entries(z.string()) }),
  z.transform(({ at, trees, unkept }): Snapshot => ({ at, trees: new Map(trees), unkept: new Map(unkept) })),
);
const stateSchema = z.object({ mode: z.enum(['100644', '100755', '120000']), blob: z.string() });
const versionSchema = z.optional(z.object({ mode: z.string(), blob: z.string() }));
const unitSchema = z.pipe(
  z.object({
    files: entries(z.object({ now: z.optional(stateSchema), to: z.optional(stateSchema) })),
    differences: z.array(z.object({ set: z.string(), path: z.string(), from: z.string(), before: versionSchema, after: versionSchema })),
  }),
  z.transform(
    ({ files, differences }): UndoUnit => ({
      files: new Map(files.map(([path, { now, to }]) => [path, { now, to }])),
      differences: differences.map(({ before, after, ...names }) => ({ ...names, before, after, added: 0, removed: 0, isBinary: false })),
    }),
  ),
);
const ids = { id: z.string(), conversationId: z.string() };
const schema: z.ZodMiniType<Unfinished> = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('turn'),
    ...ids,
    before: snapshotSchema,
    isLate: z.boolean(),
    seen: z.exactOptional(
      z.object({
        snapshot: snapshotSchema,
        named: z.pipe(
          z.array(z.string()),
          z.transform((named) => new Set(named)),
        ),
      }),
    ),
  }),
  z.object({ type: z.literal('undo'), ...ids, sets: z.array(z.string()), units: z.array(unitSchema) }),
]);

export class UnfinishedWork {
  readonly #folder: string;

  /** @param directory of the repository */
  constructor(directory: string) {
    this.#folder = join(directory, 'unfinished');
  }

  /** What can't be read is left out. @throws the system's error */
  list(): readonly Unfinished[] {
    const names = namesIn(this.#folder).filter((name) => name.endsWith('.json'));
    return names.flatMap((name) => schema.safeParse(parseJson(readSmallFile(join(this.#folder, name))?.text ?? '')).data ?? []);
  }

  /** Replaces what is saved with this id. @throws the system's error */
  save(work: Unfinished): void {
    // Of states, only what says which they are. Contents are recorded.
    const text = JSON.stringify(work, (key, value: unknown) => {
      if (value instanceof Map || value instanceof Set) return Array.from<unknown>(value);
      return key === 'bytes' ? undefined : value;
    });
    replaceSmallFile(this.#file(work.id), text);
  }

  /** @throws the system's error */
  remove(id: string): void {
    removeSmallFile(this.#file(id));
  }

  #file(id: string): string {
    return join(this.#folder, `${encodeURIComponent(id)}.json`);
  }
}
