/** What an engine that is killed leaves unfinished: turns that run, and undos. Each has a file in the repository of its folder. */
import { join } from 'node:path';
import * as z from 'zod/mini';
import { parseJson } from '../../base/parseJson.js';
import { listFiles, moveFile, readText, removeFile, writePrivateFile } from '../../node/files.js';
import { sliced } from '../../node/sliced.js';
import type { ChangeRecords } from './records.js';
import type { Snapshot, WorkFolder } from './snapshot.js';
import type { UndoUnit } from './undo.js';

const unitsInPiece = 500;

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
  // The units are in lines of their own.
  z.pipe(
    z.object({ type: z.literal('undo'), ...ids, sets: z.array(z.string()) }),
    z.transform((undo): UnfinishedUndo => ({ ...undo, units: [] })),
  ),
]);

/** A folder whose changes are recorded. */
export interface OpenedFolder extends WorkFolder {
  readonly records: ChangeRecords;
  readonly unfinished: UnfinishedWork;
}

export class UnfinishedWork {
  readonly #folder: string;

  /** @param directory of the repository */
  constructor(directory: string) {
    this.#folder = join(directory, 'unfinished');
  }

  /** What can't be read is left out. @throws the system's error */
  async list(): Promise<readonly Unfinished[]> {
    const all: Unfinished[] = [];
    for (const file of await listFiles(this.#folder, '.json')) {
      const [head = '', ...lines] = ((await readText(file)) ?? '').split('\n');
      const work = schema.safeParse(parseJson(head)).data;
      if (work?.type !== 'undo') {
        if (work !== undefined) all.push(work);
        continue;
      }
      const units: UndoUnit[] = [];
      for await (const line of sliced(lines)) {
        const unit = unitSchema.safeParse(parseJson(line)).data;
        if (unit !== undefined) units.push(unit);
      }
      all.push({ ...work, units });
    }
    return all;
  }

  /** Replaces what is saved with this id. @throws the system's error */
  async save(work: Unfinished): Promise<void> {
    const file = this.#file(work.id);
    const beside = `${file}.new`;
    try {
      await writePrivateFile(beside, piecesOf(work));
      await moveFile(beside, file);
    } catch (error) {
      await removeFile(beside);
      throw error;
    }
  }

  /** @throws the system's error */
  async remove(id: string): Promise<void> {
    await removeFile(this.#file(id));
  }

  #file(id: string): string {
    return join(this.#folder, `${encodeURIComponent(id)}.json`);
  }
}

/** Each is made when the one before it is written. */
function* piecesOf(work: Unfinished): Generator<string> {
  yield lineOf({ ...work, units: undefined });
  if (work.type !== 'undo') return;
  for (let from = 0; from < work.units.length; from += unitsInPiece)
    yield work.units
      .slice(from, from + unitsInPiece)
      .map((unit) => `\n${lineOf(unit)}`)
      .join('');
}

/** Of states, only what says which they are. Contents are recorded. */
function lineOf(value: unknown): string {
  return JSON.stringify(value, (key, part: unknown) => {
    if (part instanceof Map || part instanceof Set) return Array.from<unknown>(part);
    return key === 'bytes' ? undefined : part;
  });
}
