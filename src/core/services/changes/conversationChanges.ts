import { randomUUID } from 'node:crypto';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
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
import { compareSnapshots } from './compareSnapshots.js';
import { type FileDifference, shown } from './differences.js';
import type { FolderChanges, FolderTurn, OpenedFolder } from './folderChanges.js';
import { type ChangeRecord, isUnkept, type Reviewed, type StoredChanges, withMarks } from './records.js';
import type { Snapshot } from './snapshot.js';
import { planUndo, type RecordedDifference } from './undo.js';
import { type EditorTexts, openWorkingFiles } from './workingFiles.js';

/** How long an agent waits for the state before its turn. */
const usualWaitMs = 1_000;
/** How long opening a conversation waits for what was recorded, which is read at once unless git hangs. */
const loadLimitMs = 10_000;
/** When it is told that a turn is still being recorded. */
const recordMarkMs = 500;
/** How often a running turn is looked at: at most a tenth of the time. */
const looksPart = 10;

export interface ConversationChangesOptions {
  /** Of the conversation. */
  readonly id: string;
  /** The folder of the conversation as its agent and its editor call it; absolute. */
  readonly cwd: string;
  readonly folder: FolderChanges;
  readonly editor: EditorTexts;
  /** How long an agent waits for the state before its turn. */
  readonly waitMs?: number;
}

export interface UndoRequest {
  /** The change sets; the newest is taken back first. */
  readonly ids: readonly string[];
  /** Only these files, as in ChangedFile; absent: all that the user did not change, too. */
  readonly paths?: readonly string[] | undefined;
}

interface RunningTurn {
  readonly id: string;
  readonly inFolder: FolderTurn;
  readonly before: Promise<Snapshot | undefined>;
  isLate: boolean;
  lookAgainAt: number;
  isLooking: boolean;
}

/** What the turns of one conversation changed, and how it is taken back. */
export class ConversationChanges implements Disposable {
  readonly #id: string;
  readonly #cwd: string;
  readonly #folder: FolderChanges;
  readonly #editor: EditorTexts;
  readonly #waitMs: number;
  readonly #onChange = new Emitter<void>();
  readonly #watching: Disposable;
  #records: readonly ChangeRecord[] = [];
  #reviewed: readonly Reviewed[] = [];
  #turn: RunningTurn | undefined;
  #running: ChangeSet | undefined;
  #recorded: readonly ChangeSet[] = [];
  #sets: readonly ChangeSet[] = [];
  #failure: HostError | undefined;
  #ending: Promise<void> = Promise.resolve();
  #loading: Promise<void> | undefined;

  constructor({ id, cwd, folder, editor, waitMs = usualWaitMs }: ConversationChangesOptions) {
    this.#id = id;
    this.#cwd = cwd;
    this.#folder = folder;
    this.#editor = editor;
    this.#waitMs = waitMs;
    this.#watching = folder.onRemove((removed) => {
      if (!this.#records.some((record) => removed.has(record.id))) return;
      this.#records = this.#records.filter((record) => !removed.has(record.id));
      this.#drawRecords();
    });
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

  /** Reads what was recorded, also later if it takes long. Never rejects. */
  async load(): Promise<void> {
    await within((this.#loading ??= this.#load()), loadLimitMs);
  }

  async #load(): Promise<void> {
    try {
      if (!(await this.#folder.exists())) return;
      const [records, reviewed] = await this.#folder.read(
        async ({ records: all }) => [await all.list(this.#id), await all.reviewed(this.#id)] as const,
      );
      const added = this.#records.filter(({ id }) => records.every((record) => record.id !== id));
      this.#records = [...records, ...added];
      this.#reviewed = [...reviewed, ...this.#reviewed];
    } catch (error) {
      this.#fail(error);
      this.#loading = undefined;
    }
    this.#drawRecords();
  }

  /** Makes the first snapshot before it is needed. */
  warm(): void {
    this.#folder.snapshot().catch(() => {});
  }

  /** Call this before the agent gets the prompt. Resolves when the state before is known, or can't be in time. Never rejects. */
  async begin(turnId: string): Promise<void> {
    this.#leaveTurn();
    const inFolder = this.#folder.begin();
    const before = this.#folder.snapshot().catch((error: unknown) => this.#fail(error));
    const turn: RunningTurn = { id: turnId, inFolder, before, isLate: false, lookAgainAt: 0, isLooking: false };
    this.#turn = turn;
    const inTime = await within(
      before.then(() => true),
      this.#waitMs,
    );
    if (inTime !== true) turn.isLate = true;
  }

  /** Updates what the running turn has changed so far, if that is not too soon. */
  look(turnId: string, named: () => ReadonlySet<string>): void {
    const turn = this.#turn;
    if (turn?.id !== turnId || turn.isLooking || performance.now() < turn.lookAgainAt) return;
    turn.isLooking = true;
    const begin = performance.now();
    void this.#compare(turn, this.#folder.snapshot(), named())
      .then((found) => {
        if (found === undefined || this.#turn !== turn) return;
        const set = setOf({ id: turn.id, at: Date.now(), problems: [] }, found.files);
        this.#running = { ...set, files: set.files.slice(0, shownFiles), kind: 'running' };
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
  end(turnId: string, named: ReadonlySet<string>): Promise<void> {
    const ending = this.#end(turnId, named);
    this.#ending = ending;
    return ending;
  }

  /** Resolves when the last turn that ended is recorded. Never rejects. */
  async settled(): Promise<void> {
    await this.#ending;
  }

  async #end(turnId: string, named: ReadonlySet<string>): Promise<void> {
    const turn = this.#turn;
    if (turn?.id !== turnId) return;
    this.#turn = undefined;
    const { inFolder } = turn;
    this.#folder.end(inFolder);
    // Front ends then know that something is still to come.
    const marking = setTimeout(() => {
      this.#running ??= { ...setOf({ id: turnId, at: this.#now(), problems: [] }, []), kind: 'running' };
      this.#draw();
    }, recordMarkMs);
    try {
      // At once, so that a turn that begins now has the state behind it.
      const after = this.#folder.snapshot().finally(() => this.#folder.release(inFolder));
      const found = await this.#compare(turn, after, named);
      if (found === undefined) return;
      this.#failure = undefined;
      if (found.differences.length > 0) {
        const problems: ChangesProblem[] = [
          ...(turn.isLate ? (['late'] as const) : []),
          ...(inFolder.isShared ? (['shared'] as const) : []),
        ];
        const record: ChangeRecord = { ...setOf({ id: turnId, at: this.#now(), problems }, found.files), kind: 'turn', undoes: [] };
        await this.#folder.exclusive(async (folder) => this.#save(folder, record, await folder.records.store(found.differences)));
        void this.#folder.upkeep();
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      clearTimeout(marking);
      this.#running = undefined;
      this.#drawRecords();
    }
  }

  /** The user saved the file. @param path absolute */
  noteSaved(path: string): void {
    this.#folder.noteSaved(path);
  }

  /** @param paths as in ChangedFile; absent: all @throws HostError `changes_unknown` */
  async review(ids: readonly string[], paths?: readonly string[]): Promise<void> {
    const others = this.#reviewed.filter(({ id }) => paths !== undefined || !ids.includes(id));
    await this.#saveReviewed([...others, ...ids.map((id) => ({ id, paths: paths && [...paths] }))]);
  }

  /** Takes `review` of one file back; not that of all files together. @throws HostError `changes_unknown` */
  async reviewAgain(id: string, path: string): Promise<void> {
    const isMark = (one: Reviewed): boolean => one.id === id && one.hunk === undefined && one.paths?.includes(path) === true;
    const left = this.#reviewed.map((one) => (isMark(one) ? { ...one, paths: one.paths?.filter((other) => other !== path) } : one));
    await this.#saveReviewed(left);
  }

  /** @param path before the change @param hunk as the front end names it @throws HostError `changes_unknown` */
  async reviewHunk(id: string, path: string, hunk: string): Promise<void> {
    await this.#saveReviewed([...this.#reviewed, { id, paths: [path], hunk }]);
  }

  /** All files of a change set. @throws HostError `changes_unknown` */
  async files(id: string): Promise<readonly ChangedFile[]> {
    const index = this.#records.findIndex((record) => record.id === id);
    const record = this.#records[index];
    if (record === undefined) throw new HostError('changes_unknown', { reason: 'not_recorded' });
    const known = withMarks(this.#records, this.#reviewed)[index] ?? [];
    if (record.fileCount <= known.length) return known;
    const rows = new Set(known.map(({ path }) => path));
    const all = await this.#folder.read(({ records }) => records.differences(this.#id, id));
    const others = all.map((file) => rowOf(file, 'other')).filter(({ path }) => !rows.has(path));
    return [...known, ...others].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** @returns undefined if there was no such file @throws HostError `changes_unknown` */
  async content(id: string, path: string, side: 'before' | 'after'): Promise<Buffer | undefined> {
    return this.#folder.read(async ({ records }) => {
      const all = await records.differences(this.#id, id);
      const file = all.find((one) => shown(one.path) === path || shown(one.from) === path);
      const version = file?.[side];
      return version?.blob === undefined ? undefined : records.content(version.blob);
    });
  }

  /** The change sets as one patch after the other, for `git apply`. @throws HostError `changes_unknown` */
  async patch(ids: readonly string[]): Promise<Buffer> {
    return this.#folder.read(async ({ records }) => {
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
      const wanted = paths && new Set(paths);
      const isWanted = (...names: readonly string[]): boolean => wanted === undefined || names.some((name) => wanted.has(name));
      const differences: RecordedDifference[] = [];
      for (const { id: set } of chosen)
        for (const file of await folder.records.differences(this.#id, set))
          if (isWanted(shown(file.path), shown(file.from))) differences.push({ ...file, set });
      const rows = chosen.flatMap(({ files }) => files);
      const alsoUser = new Set(rows.filter((row) => row.alsoUser === true && wanted === undefined).map(({ path }) => path));
      const working = await openWorkingFiles(folder, differences, this.#editor, (path) => join(this.#cwd, shown(path)));
      const plan = await planUndo(differences, working, (path) => !alsoUser.has(shown(path)));
      const applied = await working.apply(plan.units);
      for (const { path } of applied.done) this.#folder.noteSaved(join(folder.folder, shown(path)));
      const undone = [...new Set(applied.undone.map(({ path }) => shown(path)))];
      const left = new Map([...plan.left, ...applied.left].map((file): [string, LeftFile] => [file.path, file]));
      for (const { path, isUnkept: isLeft } of rows)
        if (isLeft === true && isWanted(path) && !left.has(path)) left.set(path, { path, why: 'unkept' });
      const result: UndoResult = { undone, left: [...left.values()] };
      if (applied.done.length === 0 && undone.length === 0) return result;
      const undoes = chosen.map(({ id }) => ({
        id,
        paths: [...new Set(applied.undone.flatMap(({ set, path, from }) => (set === id ? [shown(path), shown(from)] : [])))],
      }));
      const stored = await folder.records.store(applied.done);
      const files = (await folder.records.compare(stored)).map((file) => rowOf(file, 'tool'));
      const facts = setOf({ id: randomUUID(), at: this.#now(), problems: [] }, files);
      await this.#save(folder, { ...facts, kind: 'undo', undoes: undoes.filter((one) => one.paths.length > 0) }, stored);
      this.#drawRecords();
      return files.length === 0 ? result : { id: facts.id, ...result };
    });
  }

  dispose(): void {
    // What still runs is not recorded.
    this.#leaveTurn();
    this.#watching.dispose();
    this.#onChange.dispose();
  }

  async #saveReviewed(reviewed: readonly Reviewed[]): Promise<void> {
    this.#reviewed = reviewed;
    this.#drawRecords();
    await this.#folder.exclusive(({ records }) => records.saveReviewed(this.#id, this.#reviewed));
  }

  #leaveTurn(): void {
    if (this.#turn === undefined) return;
    this.#folder.end(this.#turn.inFolder);
    this.#folder.release(this.#turn.inFolder);
    this.#turn = undefined;
  }

  /** @param paths the files that tool calls named, absolute */
  async #compare(
    { before, inFolder }: RunningTurn,
    after: Promise<Snapshot>,
    paths: ReadonlySet<string>,
  ): Promise<{ readonly files: readonly ChangedFile[]; readonly differences: readonly FileDifference[] } | undefined> {
    const [one, other] = await Promise.all([before, after]);
    if (one === undefined) return undefined;
    return this.#folder.exclusive(async (folder) => {
      const differences = await compareSnapshots(folder, one, other);
      const [named, saved] = [paths, inFolder.saved].map((all) => namesIn([this.#cwd, folder.folder], all));
      const files = differences.map((file) => {
        const names = [shown(file.path), shown(file.from)];
        const row = rowOf(file, names.some((name) => named?.has(name)) ? 'tool' : 'other');
        return names.some((name) => saved?.has(name)) ? { ...row, alsoUser: true as const } : row;
      });
      return { files, differences };
    });
  }

  async #save({ records }: OpenedFolder, record: ChangeRecord, stored: StoredChanges): Promise<void> {
    this.#records = [...this.#records, await records.save(this.#id, record, stored)];
  }

  /** The time of a new record, which comes after all others also if the clock was set back. */
  #now(): number {
    return Math.max(Date.now(), (this.#records.at(-1)?.at ?? 0) + 1);
  }

  #fail(error: unknown): undefined {
    this.#failure = toHostError(error, 'changes_unknown');
    return undefined;
  }

  #drawRecords(): void {
    const marked = withMarks(this.#records, this.#reviewed);
    const before = new Map(this.#recorded.map((set) => [set.id, set]));
    this.#recorded = this.#records.map((record, index): ChangeSet => {
      const { undoes, ...set } = record;
      const files = (marked[index] ?? []).slice(0, shownFiles);
      const known = before.get(record.id);
      if (known !== undefined && JSON.stringify(known.files) === JSON.stringify(files)) return known;
      return { ...set, files, ...(undoes.length > 0 && { undoneSets: undoes.map(({ id }) => id) }) };
    });
    this.#draw();
  }

  #draw(): void {
    this.#sets = this.#running === undefined ? this.#recorded : [...this.#recorded, this.#running];
    this.#onChange.fire();
  }
}

/** What files in a folder are called, relative to it. @param roots the names of the folder @param paths absolute, or relative to it */
function namesIn(roots: readonly string[], paths: ReadonlySet<string>): ReadonlySet<string> {
  const ways = [...paths].flatMap((path) => roots.map((root) => relative(root, resolve(root, path))));
  return new Set(ways.filter((way) => !isAbsolute(way)).map((way) => way.replaceAll(sep, '/')));
}

function rowOf({ path, from, before, after, added, removed, isBinary }: FileDifference, by: ChangedFile['by']): ChangedFile {
  return {
    path: shown(path),
    status: before === undefined ? 'added' : after === undefined ? 'deleted' : path === from ? 'modified' : 'renamed',
    ...(path !== from && { from: shown(from) }),
    added,
    removed,
    by,
    ...(isBinary && { isBinary }),
    ...(isUnkept({ before, after }) && { isUnkept: true }),
  };
}

function setOf(facts: Pick<ChangeSet, 'id' | 'at' | 'problems'>, files: readonly ChangedFile[]): Omit<ChangeSet, 'kind'> {
  const sum = (of: 'added' | 'removed'): number => files.reduce((total, file) => total + file[of], 0);
  return { ...facts, files, fileCount: files.length, added: sum('added'), removed: sum('removed') };
}
