import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Disposable } from '../../base/disposable.js';
import { HostError, toHostError } from '../../base/errors.js';
import { Emitter } from '../../base/event.js';
import { within } from '../../base/within.js';
import {
  type ChangedFile,
  type ChangeSet,
  type ChangesProblem,
  type LeftFile,
  shownFiles,
  type UndoResult,
} from '../../session/changes.js';
import type { FolderChanges, OpenedFolder } from './folderChanges.js';
import { type ChangeRecord, type Reviewed, type StoredChanges, type UndoneChanges, withMarks } from './records.js';
import { compareSnapshots, type FileDifference, shown, type Snapshot } from './snapshot.js';
import { changesOf, planUndo } from './undo.js';
import { type EditorTexts, openWorkingFiles } from './workingFiles.js';

/** How long an agent waits for the state before its turn. */
export const baselineLimitMs = 1_000;
/** How often a running turn is looked at: at most a tenth of the time. */
const looksPart = 10;

export interface UndoRequest {
  /** The change sets; the newest is taken back first. */
  readonly ids: readonly string[];
  /** Only these files, as in ChangedFile; absent: all that the user did not change, too. */
  readonly paths?: readonly string[] | undefined;
}

interface RunningTurn {
  readonly id: string;
  readonly before: Promise<Snapshot | undefined>;
  isLate: boolean;
  readonly saved: Set<string>;
  lookAgainAt: number;
  isLooking: boolean;
}

/** What the turns of one conversation changed, and how it is taken back. */
export class ConversationChanges implements Disposable {
  readonly #id: string;
  readonly #folder: FolderChanges;
  readonly #editor: EditorTexts;
  readonly #onChange = new Emitter<void>();
  #records: readonly ChangeRecord[] = [];
  #reviewed: readonly Reviewed[] = [];
  #turn: RunningTurn | undefined;
  #running: ChangeSet | undefined;
  #sets: readonly ChangeSet[] = [];
  #failure: HostError | undefined;
  #loading: Promise<void> | undefined;

  /** @param id of the conversation */
  constructor(id: string, folder: FolderChanges, editor: EditorTexts) {
    this.#id = id;
    this.#folder = folder;
    this.#editor = editor;
  }

  readonly onChange = this.#onChange.event;

  /** Oldest first. Unchanged ones keep their identity. */
  get sets(): readonly ChangeSet[] {
    return this.#sets;
  }

  /** Why the last turn could not be recorded. */
  get failure(): HostError | undefined {
    return this.#failure;
  }

  /** Reads what was recorded. Never rejects. */
  load(): Promise<void> {
    return (this.#loading ??= this.#load());
  }

  async #load(): Promise<void> {
    if (!(await this.#folder.exists())) return;
    try {
      const [records, reviewed] = await this.#folder.exclusive(
        async ({ records: all }) => [await all.list(this.#id), await all.reviewed(this.#id)] as const,
      );
      this.#records = records;
      this.#reviewed = reviewed;
    } catch (error) {
      this.#failure = toHostError(error);
    }
    this.#draw();
  }

  /** Makes the first snapshot before it is needed. */
  warm(): void {
    this.#folder.snapshot().catch(() => {});
  }

  /** Call this before the agent gets the prompt. Resolves when the state before is known, or can't be in time. Never rejects. */
  async begin(turnId: string): Promise<void> {
    this.#folder.begin(turnId);
    const before = this.#folder.snapshot().catch((error: unknown) => this.#fail(error));
    const turn: RunningTurn = { id: turnId, before, isLate: false, saved: new Set(), lookAgainAt: 0, isLooking: false };
    this.#turn = turn;
    const inTime = await within(
      before.then(() => true),
      baselineLimitMs,
    );
    if (inTime !== true) turn.isLate = true;
  }

  /** Updates what the running turn has changed so far, if that is not too soon. */
  look(turnId: string, named: () => ReadonlySet<string>): void {
    const turn = this.#turn;
    if (turn?.id !== turnId || turn.isLooking || performance.now() < turn.lookAgainAt) return;
    turn.isLooking = true;
    const begin = performance.now();
    void this.#compare(turn, named())
      .then((found) => {
        if (found === undefined || this.#turn !== turn) return;
        this.#running = { ...setOf({ id: turn.id, at: Date.now(), problems: [] }, found.files), kind: 'running' };
        this.#draw();
      })
      .catch(() => {})
      .finally(() => {
        turn.isLooking = false;
        turn.lookAgainAt = performance.now() + looksPart * (performance.now() - begin);
      });
  }

  /**
   * Call this when the agent has ended its turn. Resolves when it is known what changed. Never rejects.
   * @param named the files that its tool calls named, absolute
   */
  async end(turnId: string, named: ReadonlySet<string>): Promise<void> {
    const isShared = this.#folder.end(turnId);
    const turn = this.#turn;
    if (turn?.id !== turnId) return;
    this.#turn = undefined;
    try {
      const found = await this.#compare(turn, named);
      if (found === undefined) return;
      this.#failure = undefined;
      if (found.differences.length > 0) {
        const problems: ChangesProblem[] = [...(turn.isLate ? (['late'] as const) : []), ...(isShared ? (['shared'] as const) : [])];
        const record: ChangeRecord = { ...setOf({ id: turnId, at: Date.now(), problems }, found.files), kind: 'turn', undoes: [] };
        await this.#folder.exclusive(async (folder) => this.#save(folder, record, await folder.records.store(found.differences)));
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#running = undefined;
      this.#draw();
    }
  }

  /** The user saved the file. @param path absolute */
  noteSaved(path: string): void {
    this.#turn?.saved.add(path);
  }

  /** @param paths as in ChangedFile; absent: all @throws HostError `changes_unknown` */
  async review(ids: readonly string[], paths?: readonly string[]): Promise<void> {
    this.#reviewed = [...this.#reviewed, ...ids.map((id) => ({ id, paths: paths && [...paths] }))];
    this.#draw();
    await this.#folder.exclusive(({ records }) => records.saveReviewed(this.#id, this.#reviewed));
  }

  /** All files of a change set. @throws HostError `changes_unknown` */
  async files(id: string): Promise<readonly ChangedFile[]> {
    const index = this.#records.findIndex((record) => record.id === id);
    const record = this.#records[index];
    if (record === undefined) throw new HostError('changes_unknown', { reason: 'not_recorded' });
    const known = withMarks(this.#records, this.#reviewed)[index] ?? [];
    if (record.fileCount <= known.length) return known;
    const rows = new Set(known.map(({ path }) => path));
    const all = await this.#folder.exclusive(({ records }) => records.differences(this.#id, id));
    return [...known, ...all.map((file) => rowOf(file, 'other')).filter(({ path }) => !rows.has(path))];
  }

  /** @returns undefined if there was no such file @throws HostError `changes_unknown` */
  async content(id: string, path: string, side: 'before' | 'after'): Promise<Buffer | undefined> {
    return this.#folder.exclusive(async ({ records }) => {
      const all = await records.differences(this.#id, id);
      const file = all.find((one) => shown(one.path) === path || shown(one.from) === path);
      const version = file?.[side];
      return version?.blob === undefined ? undefined : records.content(version.blob);
    });
  }

  /** The change sets as one patch after the other, for `git apply`. @throws HostError `changes_unknown` */
  async patch(ids: readonly string[]): Promise<Buffer> {
    return this.#folder.exclusive(async ({ records }) => {
      const patches: Buffer[] = [];
      for (const id of ids) patches.push(await records.patch(this.#id, id));
      return Buffer.concat(patches);
    });
  }

  /** Takes changes back, as a change set of its own. @throws HostError `changes_unknown` */
  async undo({ ids, paths }: UndoRequest): Promise<UndoResult> {
    return this.#folder.exclusive(async (folder) => {
      const chosen = this.#records.filter(({ id }) => ids.includes(id)).reverse();
      if (chosen.length === 0) throw new HostError('changes_unknown', { reason: 'not_recorded' });
      const wanted = paths === undefined ? undefined : new Set(paths);
      const perSet: { readonly id: string; readonly all: readonly FileDifference[] }[] = [];
      const alsoUser = new Set<string>();
      for (const { id, files } of chosen) {
        const all = await folder.records.differences(this.#id, id);
        perSet.push({
          id,
          all: all.filter(({ path, from }) => wanted === undefined || wanted.has(shown(path)) || wanted.has(shown(from))),
        });
        for (const file of files) if (file.alsoUser === true) alsoUser.add(file.path);
      }
      const unkept = chosen.flatMap(({ files }) =>
        files.filter(({ path, isUnkept }) => isUnkept === true && (wanted === undefined || wanted.has(path))),
      );
      const changes = perSet.flatMap(({ all }) => all.flatMap(changesOf));
      const working = await openWorkingFiles(folder, changes, this.#editor);
      const plan = await planUndo(changes, working, (path) => wanted !== undefined || !alsoUser.has(shown(path)));
      const applied = await working.apply(plan.files);
      const refused = new Set(applied.left.map(({ path }) => path));
      const undone = plan.undone.map(shown).filter((path) => !refused.has(path));
      const left: LeftFile[] = [...plan.left, ...applied.left, ...unkept.map(({ path }) => ({ path, why: 'unkept' as const }))];
      if (undone.length === 0) return { undone, left };
      const undoes: UndoneChanges[] = perSet.map(({ id, all }) => ({
        id,
        paths: all
          .map(({ path, from }) => [...new Set([shown(path), shown(from)])])
          .filter((both) => both.every((path) => undone.includes(path)))
          .flat(),
      }));
      const stored = await folder.records.store(applied.done);
      const files = (await folder.records.compare(stored)).map((file) => rowOf(file, 'tool'));
      const record: ChangeRecord = { ...setOf({ id: randomUUID(), at: Date.now(), problems: [] }, files), kind: 'undo', undoes };
      await this.#save(folder, record, stored);
      this.#draw();
      return { id: record.id, undone, left };
    });
  }

  /** Removes everything that was recorded of the conversation. @throws HostError `changes_unknown` */
  async remove(): Promise<void> {
    if (await this.#folder.exists()) await this.#folder.exclusive(({ records }) => records.remove(this.#id));
  }

  dispose(): void {
    if (this.#turn !== undefined) this.#folder.end(this.#turn.id);
    this.#onChange.dispose();
  }

  async #compare(
    turn: RunningTurn,
    named: ReadonlySet<string>,
  ): Promise<{ readonly files: readonly ChangedFile[]; readonly differences: readonly FileDifference[] } | undefined> {
    const before = await turn.before;
    if (before === undefined) return undefined;
    const after = await this.#folder.snapshot();
    return this.#folder.exclusive(async ({ git, folder }) => {
      const differences = await compareSnapshots(git, folder, before, after);
      const files = differences.map((file) => {
        const absolute = [file.path, file.from].map((path) => join(folder, shown(path)));
        const row = rowOf(file, absolute.some((path) => named.has(path)) ? 'tool' : 'other');
        return absolute.some((path) => turn.saved.has(path)) ? { ...row, alsoUser: true as const } : row;
      });
      return { files, differences };
    });
  }

  async #save({ records }: OpenedFolder, record: ChangeRecord, stored: StoredChanges): Promise<void> {
    await records.save(this.#id, record, stored);
    this.#records = [...this.#records, record];
  }

  #fail(error: unknown): undefined {
    this.#failure = toHostError(error, 'changes_unknown');
    return undefined;
  }

  #draw(): void {
    const marked = withMarks(this.#records, this.#reviewed);
    const before = new Map(this.#sets.map((set) => [set.id, set]));
    const sets = this.#records.map((record, index): ChangeSet => {
      const { undoes: _, ...set } = record;
      const files = (marked[index] ?? []).slice(0, shownFiles);
      const known = before.get(record.id);
      return known !== undefined && JSON.stringify(known.files) === JSON.stringify(files) ? known : { ...set, files };
    });
    this.#sets = this.#running === undefined ? sets : [...sets, this.#running];
    this.#onChange.fire();
  }
}

function rowOf({ path, from, before, after, added, removed, isBinary }: FileDifference, by: ChangedFile['by']): ChangedFile {
  const isUnkept = (before !== undefined && before.blob === undefined) || (after !== undefined && after.blob === undefined);
  return {
    path: shown(path),
    status: before === undefined ? 'added' : after === undefined ? 'deleted' : path === from ? 'modified' : 'renamed',
    ...(path !== from && { from: shown(from) }),
    added,
    removed,
    by,
    ...(isBinary && { isBinary }),
    ...(isUnkept && { isUnkept }),
  };
}

function setOf(facts: Pick<ChangeSet, 'id' | 'at' | 'problems'>, files: readonly ChangedFile[]): Omit<ChangeSet, 'kind'> {
  const sum = (of: 'added' | 'removed'): number => files.reduce((total, file) => total + file[of], 0);
  return { ...facts, files, fileCount: files.length, added: sum('added'), removed: sum('removed') };
}
