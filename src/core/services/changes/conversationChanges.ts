import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Disposable, DisposableStore } from '../../base/disposable.js';
import { HostError, toHostError } from '../../base/errors.js';
import { Emitter } from '../../base/event.js';
import { within } from '../../base/deadline.js';
import { sliced } from '../../node/sliced.js';
import {
  type ChangedFile,
  type ChangeSet,
  type ChangesProblem,
  type LeftFile,
  type ShownEdit,
  shownFiles,
  type UndoResult,
} from '../../session/changes.js';
import { compareSnapshots } from './compareSnapshots.js';
import { type FileDifference, shown } from './differences.js';
import type { FolderChanges, FolderTurn } from './folderChanges.js';
import { changedBefore, type EarlyFiles, fromTheStart } from './lateStart.js';
import { netDifferences } from './netDifferences.js';
import { type ChangeRecord, newNameOf, type Reviewed, undonePaths, withMarks } from './records.js';
import { namesIn, rowOf, setOf } from './rows.js';
import type { Snapshot } from './snapshot.js';
import { planUndo, type RecordedDifference } from './undo.js';
import { performUndo } from './undoing.js';
import type { OpenedFolder, UnfinishedTurn } from './unfinished.js';
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
  /** The folder as its agent and its editor call it; absolute. */
  readonly cwd: string;
  readonly folder: FolderChanges;
  readonly editor: EditorTexts;
  /** How long an agent waits for the state before its turn. */
  readonly waitMs?: number;
}

export interface UndoRequest {
  /** Of the undo; a new one if absent. */
  readonly id?: string;
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
  /** If it is late: when the agent began, and what it may have changed by the time when the state was known. */
  agentBeganAt: number;
  early: EarlyFiles;
  /** For the next engine, in case this one is killed. */
  isSaved: boolean;
  lookAgainAt: number;
  isLooking: boolean;
}

/** What a look at a running turn found. */
type Seen = NonNullable<UnfinishedTurn['seen']> & Pick<UnfinishedTurn, 'before'>;

/** What the turns of one conversation changed in one folder, and how it is taken back. */
export class ConversationChanges implements Disposable {
  readonly #id: string;
  readonly #cwd: string;
  readonly #folder: FolderChanges;
  readonly #editor: EditorTexts;
  readonly #waitMs: number;
  readonly #onChange = new Emitter<void>();
  readonly #watching = new DisposableStore();
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
    this.#watching.add(
      folder.onRemove((removed) => {
        if (!this.#records.some((record) => removed.has(record.id))) return;
        this.#records = this.#records.filter((record) => !removed.has(record.id));
        this.#drawRecords();
      }),
    );
    this.#watching.add(
      folder.onRecover(({ conversationId, result }) => {
        if (conversationId !== this.#id) return;
        if (result instanceof HostError) this.#fail(result);
        else if (!this.#records.some(({ id: known }) => known === result.id)) this.#records = [...this.#records, result];
        this.#drawRecords();
      }),
    );
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
      await this.#folder.recover();
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
    const before = this.#folder
      .snapshot(async (snapshot, opened) => {
        if (turn.isLate) turn.early = await changedBefore(opened, snapshot, turn.agentBeganAt);
        if (this.#turn !== turn) return;
        turn.isSaved = true;
        await opened.unfinished.save(this.#unfinished(turn, snapshot));
      })
      .catch((error: unknown) => this.#fail(error));
    const turn: RunningTurn = {
      id: turnId,
      inFolder,
      before,
      isLate: false,
      agentBeganAt: 0,
      early: new Map(),
      isSaved: false,
      lookAgainAt: 0,
      isLooking: false,
    };
    this.#turn = turn;
    const inTime = await within(
      before.then(() => true),
      this.#waitMs,
    );
    if (inTime === true) return;
    turn.isLate = true;
    turn.agentBeganAt = Date.now();
  }

  /** Updates what the running turn has changed so far, if that is not too soon. */
  look(turnId: string, named: () => ReadonlySet<string>): void {
    const turn = this.#turn;
    if (turn?.id !== turnId || turn.isLooking || performance.now() < turn.lookAgainAt) return;
    turn.isLooking = true;
    const begin = performance.now();
    void this.#compare(turn, { after: this.#folder.snapshotAfterWork(), paths: named() }, async ({ before, ...seen }, { unfinished }) => {
      if (this.#turn === turn) await unfinished.save({ ...this.#unfinished(turn, before), seen });
    })
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
   * @param edits what they show, in order
   */
  end(turnId: string, named: ReadonlySet<string>, edits: readonly ShownEdit[] = []): Promise<void> {
    const ending = this.#end(turnId, named, edits);
    this.#ending = ending;
    return ending;
  }

  /** Resolves when the last turn that ended is recorded. Never rejects. */
  async settled(): Promise<void> {
    await this.#ending;
  }

  async #end(turnId: string, named: ReadonlySet<string>, edits: readonly ShownEdit[]): Promise<void> {
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
      const after = this.#folder.snapshotAfterWork().finally(() => this.#folder.release(inFolder));
      const found = await this.#compare(turn, { after, paths: named, edits });
      if (found === undefined) return;
      this.#failure = undefined;
      if (found.differences.length > 0) {
        const problems: ChangesProblem[] = [
          ...(turn.isLate ? (['late'] as const) : []),
          ...(inFolder.isShared ? (['shared'] as const) : []),
        ];
        const record: ChangeRecord = { ...setOf({ id: turnId, at: this.#now(), problems }, found.files), kind: 'turn', undoes: [] };
        const { differences } = found;
        const saved = await this.#folder.exclusive(async ({ records }) => records.save(this.#id, record, await records.store(differences)));
        this.#records = [...this.#records, saved];
        void this.#folder.upkeep();
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      clearTimeout(marking);
      this.#running = undefined;
      this.#drawRecords();
      this.#forget(turn);
    }
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
    await this.#saveReviewed(left.filter(({ paths }) => paths === undefined || paths.length > 0));
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
    const known = new Set(record.files.map(({ path }) => path));
    const all = record.fileCount > known.size ? await this.#folder.read(({ records }) => records.differences(this.#id, id)) : [];
    const files = [...record.files];
    for await (const file of sliced(all)) if (!known.has(shown(file.path))) files.push(rowOf(file, 'other'));
    files.sort((a, b) => (a.path < b.path ? -1 : 1));
    return withMarks(this.#records.with(index, { ...record, files }), this.#reviewed)[index] ?? [];
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

  /** What is not undone of the change sets, for `git apply -R`. @param ids oldest first @throws HostError `changes_unknown` */
  async patch(ids: readonly string[]): Promise<Buffer> {
    return this.#folder.exclusive(async ({ records }) => {
      const undone = undonePaths(this.#records);
      const open: (readonly FileDifference[])[] = [];
      for (const id of ids) {
        const all = await records.differences(this.#id, id);
        open.push(all.filter(({ path, from }) => ![path, from].every((name) => undone.get(id)?.has(shown(name)))));
      }
      const patches: Buffer[] = [];
      for (const files of await netDifferences(open)) patches.push(await records.patch(await records.store(files)));
      return Buffer.concat(patches);
    });
  }

  /** Takes back what is not taken back yet, as a change set of its own. @throws HostError `changes_unknown` */
  async undo({ id = randomUUID(), ids, paths }: UndoRequest): Promise<UndoResult> {
    return this.#folder.exclusive(async (folder) => {
      const chosen = this.#records.filter(({ id }) => ids.includes(id)).reverse();
      if (chosen.length === 0) throw new HostError('changes_unknown', { reason: 'not_recorded' });
      const wanted = paths && new Set(paths);
      const isWanted = (...names: readonly string[]): boolean => wanted === undefined || names.some((name) => wanted.has(name));
      const differences: RecordedDifference[] = [];
      const undone = undonePaths(this.#records);
      for (const { id: set } of chosen)
        for await (const file of sliced(await folder.records.differences(this.#id, set))) {
          const names = [shown(file.path), shown(file.from)];
          if (isWanted(...names) && !names.every((name) => undone.get(set)?.has(name))) differences.push({ ...file, set });
        }
      const rows = chosen.flatMap(({ files }) => files);
      const alsoUser = new Set(rows.filter((row) => row.alsoUser === true && wanted === undefined).map(({ path }) => path));
      const nameOf = (path: string): string => join(this.#cwd, shown(path));
      const working = await openWorkingFiles(folder, differences, { id, editor: this.#editor, nameOf });
      const newName = (path: string): string | undefined => newNameOf(this.#records, chosen[0]?.id, path);
      const plan = await planUndo(differences, working, (path) => !alsoUser.has(shown(path)), newName);
      const sets = chosen.map((set) => set.id);
      const undo = { type: 'undo', id, conversationId: this.#id, sets, units: plan.units } as const;
      const { record, ...found } = await performUndo(folder, working, undo, this.#now());
      for await (const { path } of sliced(found.done)) this.#folder.noteSaved(join(folder.folder, shown(path)));
      const left = new Map([...plan.left, ...found.left].map((file): [string, LeftFile] => [file.path, file]));
      for (const { path, unkept } of rows)
        if (unkept !== undefined && isWanted(path) && !left.has(path)) left.set(path, { path, why: 'unkept', detail: unkept });
      const names = new Set<string>();
      for await (const { path } of sliced(found.undone)) names.add(shown(path));
      const result: UndoResult = { undone: [...names], left: [...left.values()] };
      if (record === undefined) return result;
      this.#records = [...this.#records, record];
      this.#drawRecords();
      return record.files.length === 0 ? result : { id: record.id, ...result };
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
    this.#forget(this.#turn);
    this.#turn = undefined;
  }

  #unfinished({ id, isLate }: RunningTurn, before: Snapshot): UnfinishedTurn {
    return { type: 'turn', id, conversationId: this.#id, before, isLate };
  }

  /** The turn is recorded, or is not to be. */
  #forget({ id, isSaved }: RunningTurn): void {
    if (isSaved) this.#folder.exclusive(({ unfinished }) => unfinished.remove(id)).catch(() => {});
  }

  /** @param work.paths the files that tool calls named, absolute @param onSeen called while nobody else uses the folder */
  async #compare(
    turn: RunningTurn,
    { after, paths, edits }: { after: Promise<Snapshot>; paths: ReadonlySet<string>; edits?: readonly ShownEdit[] },
    onSeen: (seen: Seen, folder: OpenedFolder) => Promise<void> | void = () => {},
  ): Promise<{ readonly files: readonly ChangedFile[]; readonly differences: readonly FileDifference[] } | undefined> {
    const [one, other] = await Promise.all([turn.before, after]);
    if (one === undefined) return undefined;
    // Only known by now.
    const { inFolder, early } = turn;
    return this.#folder.exclusive(async (folder) => {
      const roots = [this.#cwd, folder.folder];
      const [named, saved] = [namesIn(roots, paths), namesIn(roots, inFolder.saved)];
      const isOnlyUsers = (path: string): boolean => saved.has(shown(path)) && !named.has(shown(path));
      const found = await compareSnapshots(folder, one, other);
      const differences = edits === undefined ? found : await fromTheStart(folder, found, { early, edits, roots, isOnlyUsers });
      const files: ChangedFile[] = [];
      for await (const file of sliced(differences)) {
        const names = [shown(file.path), shown(file.from)];
        const row = rowOf(file, names.some((name) => named.has(name)) ? 'tool' : 'other');
        files.push(names.some((name) => saved.has(name)) ? { ...row, alsoUser: true } : row);
      }
      await onSeen({ before: one, snapshot: other, named }, folder);
      return { files, differences };
    });
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
