import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { HostError, toHostError } from '../../base/errors.js';
import { Emitter } from '../../base/event.js';
import { OneByOne } from '../../base/oneByOne.js';
import { isWithin } from '../../base/paths.js';
import { fileFacts, realPath, removeFolder } from '../../node/files.js';
import { homeFolder } from '../../node/homeFolder.js';
import { Git } from './git.js';
import { type ChangeRecord, ChangeRecords, type SavedChanges } from './records.js';
import { filesInSpite, isIgnored, repositoryAround } from './repositoryAround.js';
import { expectFolder, filesStoredAtOnce, type Snapshot, type SnapshotLimits, takeSnapshot } from './snapshot.js';
import { finishUndo } from './undoing.js';
import { type OpenedFolder, type Unfinished, type UnfinishedTurn, UnfinishedWork } from './unfinished.js';
import { changesLimitBytes, needsUpkeep, pack, prune, removeOtherPacks, removePacks } from './upkeep.js';
import type { ChangesProblem } from '../../session/changes.js';
import { compareSnapshots } from './compareSnapshots.js';
import { shown } from './differences.js';
import { rowOf, setOf } from './rows.js';

/** How long a snapshot may take without having stored more files. */
const snapshotLimitMs = 30_000;
/** Where it takes longer, it is not tried again for a while. */
const slowPauseMs = 600_000;

/** What the user wants to be recorded. */
export interface RecordingOptions {
  /** How much all change sets of a folder may need. */
  readonly limitBytes: number;
  /** Patterns, as in ignore files, of what is never taken, also where the project has it. */
  readonly exclude: readonly string[];
}

export interface FolderOptions extends Partial<RecordingOptions> {
  readonly snapshotLimitMs?: number;
  /** How many files are stored before that is saved. */
  readonly filesStoredAtOnce?: number;
}

/** What was recorded for an engine that was killed, or why nothing could be. */
export interface Recovered {
  readonly conversationId: string;
  readonly result: ChangeRecord | HostError;
}

type AfterSnapshot = (snapshot: Snapshot, folder: OpenedFolder) => Promise<void> | void;

/** A turn in the folder. */
export interface FolderTurn {
  /** Another one ran at the same time. */
  isShared: boolean;
  /** What the user saved meanwhile; absolute. */
  readonly saved: Set<string>;
}

/** The snapshots of one folder, for all conversations that work in it. What changes something is done one after the other. */
export class FolderChanges {
  readonly #directory: string;
  readonly #path: string;
  readonly #limits: SnapshotLimits;
  #limitBytes: number;
  /** Those of the options from the next turn on, and those of now. */
  #wanted: readonly string[];
  #exclude: readonly string[];
  #opened: Promise<OpenedFolder> | undefined;
  readonly #works = new OneByOne();
  #upkeep: Promise<void> = Promise.resolve();
  #isDirty = false;
  #slow: { readonly error: HostError; readonly until: number } | undefined;
  readonly #running = new Set<FolderTurn>();
  readonly #watching = new Set<FolderTurn>();
  readonly #onRemove = new Emitter<ReadonlySet<string>>();
  readonly #onRecover = new Emitter<Recovered>();
  #isRecovered = false;

  /**
   * @param stateFolder absolute
   * @param path absolute
   * @param o.snapshotLimitMs how long a snapshot may take without having stored more files
   * @param o.limitBytes without the current state of the folder
   */
  constructor(stateFolder: string, path: string, o: FolderOptions = {}) {
    this.#path = path;
    this.#directory = join(changesFolder(stateFolder), createHash('sha256').update(path).digest('hex').slice(0, 32));
    this.#limits = { limitMs: o.snapshotLimitMs ?? snapshotLimitMs, filesStoredAtOnce: o.filesStoredAtOnce ?? filesStoredAtOnce };
    this.#limitBytes = o.limitBytes ?? changesLimitBytes;
    this.#wanted = this.#exclude = o.exclude ?? [];
  }

  /** Applies from the next turn on: between the two snapshots of one, files would seem to appear. */
  configure({ limitBytes, exclude }: RecordingOptions): void {
    this.#limitBytes = limitBytes;
    if (!isDeepStrictEqual(exclude, this.#wanted)) this.#wanted = exclude;
  }

  /** Change sets were removed to save space: their ids. */
  readonly onRemove = this.#onRemove.event;

  readonly onRecover = this.#onRecover.event;

  /** Whether anything was ever recorded. */
  async exists(): Promise<boolean> {
    return this.#opened !== undefined || (await fileFacts(join(this.#directory, 'HEAD'))) !== undefined;
  }

  /** Reads from the repository, also while something else is done. @throws HostError `changes_unknown`, and what the work throws */
  async read<T>(work: (folder: OpenedFolder) => Promise<T>): Promise<T> {
    return work(await this.#open());
  }

  /** Works with the repository while nobody else changes it. @throws HostError `changes_unknown`, and what the work throws */
  exclusive<T>(work: (folder: OpenedFolder) => Promise<T>): Promise<T> {
    return this.#works.run(async () => work(await this.#open()));
  }

  /** Resolves when nothing is being done. Never rejects. */
  async settled(): Promise<void> {
    await this.#upkeep;
    await this.#works.settled();
  }

  /** Removes all of a conversation. @throws HostError `changes_unknown` */
  async remove(conversationId: string): Promise<void> {
    if (!(await this.exists())) return;
    await this.exclusive(async ({ git, records, unfinished }) => {
      for (const work of await unfinished.list()) if (work.conversationId === conversationId) await unfinished.remove(work.id);
      await records.remove(conversationId);
      this.#isDirty = true;
      // Where nobody works, nothing need be ready for the next turn.
      if (git.trees.size > 0 || (await unfinished.list()).length > 0 || (await records.hasAny())) return;
      this.#opened = undefined;
      await removeFolder(this.#directory);
    });
    void this.upkeep();
  }

  /**
   * Saves space, and removes the oldest change sets if there are too many. Does nothing while that is not needed, or while a turn runs.
   * Takes long, and no turn waits for it. Never rejects.
   */
  upkeep(): Promise<void> {
    this.#upkeep = this.#upkeep.then(() => this.#tidy()).catch(() => {});
    return this.#upkeep;
  }

  async #tidy(): Promise<void> {
    if (this.#watching.size > 0 || !(await this.exists())) return;
    const { git } = await this.#open();
    if (!this.#isDirty && !(await needsUpkeep(git, this.#limitBytes))) return;
    const state = async (folder: OpenedFolder): Promise<{ saved: readonly SavedChanges[]; trees: readonly string[] }> => {
      const { trees } = await this.#snapshot(folder);
      return { saved: await folder.records.all(), trees: [...trees.values()] };
    };
    const before = await this.exclusive(state);
    const packed = await pack(git, before.saved, before.trees, this.#limitBytes).catch(
      ifGitFailed(async (error) => {
        // What the project had is gone. All of it is stored again.
        await this.exclusive(async () => this.#snapshot(await this.#renew(error)));
        throw error;
      }),
    );
    const isDone = await this.exclusive(async (folder) => {
      // What was stored since may need a pack that is about to be removed.
      if (this.#watching.size > 0 || !isDeepStrictEqual(await state(folder), before)) return false;
      await folder.records.removeSome(packed.dropped);
      await removeOtherPacks(git, packed.packs);
      return true;
    });
    if (!isDone) return removePacks(packed.packs);
    this.#isDirty = false;
    if (packed.dropped.length > 0) this.#onRemove.fire(new Set(packed.dropped.map(({ id }) => id)));
    await prune(git);
  }

  /** @param then called while nobody else uses the folder @throws HostError `changes_unknown` */
  snapshot(then?: AfterSnapshot): Promise<Snapshot> {
    return this.#nextSnapshot(false, then);
  }

  /** The same once an agent has worked, so that there probably is something to store. @throws HostError `changes_unknown` */
  snapshotAfterWork(): Promise<Snapshot> {
    return this.#nextSnapshot(true);
  }

  #nextSnapshot(isAfterWork: boolean, then?: AfterSnapshot): Promise<Snapshot> {
    return this.#works.run(async () => {
      if (this.#slow !== undefined && performance.now() < this.#slow.until) throw this.#slow.error;
      try {
        const snapshot = await this.#snapshot(await this.#open(), isAfterWork);
        await then?.(snapshot, await this.#open());
        return snapshot;
      } catch (error) {
        const failure = toHostError(error);
        if (failure.params.reason === 'too_slow') this.#slow = { error: failure, until: performance.now() + slowPauseMs };
        throw failure;
      }
    });
  }

  /** Records what an engine left that was killed, unless that was done. @throws HostError `changes_unknown` */
  async recover(): Promise<void> {
    if (this.#isRecovered || !(await this.exists())) return;
    const { unfinished } = await this.#open();
    if ((await unfinished.list()).length > 0) await this.snapshot();
  }

  async #snapshot(folder: OpenedFolder, isAfterWork = false): Promise<Snapshot> {
    if (this.#isRecovered) return this.#take(folder, isAfterWork);
    // Later, there is also what this engine has begun.
    const work = await folder.unfinished.list();
    const undos = work.filter((one) => one.type === 'undo');
    const turns = work.filter((one) => one.type === 'turn');
    if (undos.length > 0) await expectFolder(folder.folder);
    for (const undo of undos) await this.#finish(folder, undo, (at) => finishUndo(folder, undo, at));
    const snapshot = await this.#take(folder);
    const others = await folder.records.all();
    const isShared = ({ conversationId, before }: UnfinishedTurn): boolean =>
      [...turns, ...others.filter(({ at }) => at > before.at)].some((one) => one.conversationId !== conversationId);
    for (const turn of turns)
      await this.#finish(folder, turn, (at) => recordInterrupted(folder, turn, snapshot, { at, isShared: isShared(turn) }));
    this.#isRecovered = true;
    return snapshot;
  }

  /** @param record records it at this time, which comes after all others also if the clock was set back */
  async #finish(
    { records, unfinished }: OpenedFolder,
    { id, conversationId }: Unfinished,
    record: (at: number) => Promise<ChangeRecord | undefined>,
  ): Promise<void> {
    const before = await records.list(conversationId);
    const isRecorded = before.some((one) => one.id === id);
    const at = Math.max(Date.now(), (before.at(-1)?.at ?? 0) + 1);
    const result = isRecorded ? undefined : await record(at).catch((error: unknown) => toHostError(error, 'changes_unknown'));
    await unfinished.remove(id);
    if (result !== undefined) this.#onRecover.fire({ conversationId, result });
  }

  #take(folder: OpenedFolder, isAfterWork = false): Promise<Snapshot> {
    const take = (opened: OpenedFolder): Promise<Snapshot> => takeSnapshot(opened, { ...this.#limits, isAfterWork });
    return (
      take(folder)
        // A file was changed while it was read.
        .catch(ifGitFailed(() => take(folder)))
        // The index is broken, or the repository was removed: both are made again.
        .catch(ifGitFailed(async (error) => take(await this.#renew(error))))
    );
  }

  /** @param error why that is tried, which says more than why it failed, too @throws HostError `changes_unknown` */
  async #renew(error: HostError): Promise<OpenedFolder> {
    const before = this.#opened;
    this.#opened = undefined;
    const opened = await this.#open().catch(() => {
      this.#opened = before;
      throw error;
    });
    await opened.git.forget();
    return opened;
  }

  begin(): FolderTurn {
    if (this.#watching.size === 0 && this.#wanted !== this.#exclude) {
      this.#exclude = this.#wanted;
      void this.#works.run(() => Promise.resolve((this.#opened = undefined)));
    }
    const turn = { isShared: this.#running.size > 0, saved: new Set<string>() };
    for (const other of this.#running) other.isShared = true;
    this.#running.add(turn);
    this.#watching.add(turn);
    return turn;
  }

  /** The agent has ended the turn. */
  end(turn: FolderTurn): void {
    this.#running.delete(turn);
  }

  /** The state after the turn is known, so that what the user saves from now on is no part of it. */
  release(turn: FolderTurn): void {
    this.#watching.delete(turn);
  }

  /** The user saved the file. @param path absolute */
  noteSaved(path: string): void {
    for (const { saved } of this.#watching) saved.add(path);
  }

  #open(): Promise<OpenedFolder> {
    if (this.#opened !== undefined) return this.#opened;
    const opened = this.#create();
    this.#opened = opened;
    // Git may be installed meanwhile, or the folder may be back.
    opened.catch(() => (this.#opened = undefined));
    return opened;
  }

  async #create(): Promise<OpenedFolder> {
    const folder = (await realPath(this.#path)) ?? this.#path;
    if (isWithin(folder, homeFolder())) throw new HostError('changes_unknown', { reason: 'folder_too_large' });
    const repository = await repositoryAround(folder);
    const git = await Git.open(this.#directory, { alternates: repository?.objects ?? [], limitMs: this.#limits.limitMs });
    const records = new ChangeRecords(git);
    const exclude = this.#exclude;
    const unfinished = new UnfinishedWork(this.#directory);
    const alone = { git, folder, workTree: folder, exclude, excludes: [], inSpite: [], records, unfinished };
    if (repository === undefined) return alone;
    const { workTree, excludes } = repository;
    // What a repository ignores is not part of it, but the user works there.
    if (await isIgnored(git, folder, repository)) return alone;
    return { ...alone, workTree, excludes, inSpite: await filesInSpite(git, folder, { ...repository, exclude }) };
  }
}

export function changesFolder(stateFolder: string): string {
  return join(stateFolder, 'changes');
}

/** Whatever else failed fails again. */
function ifGitFailed<T>(again: (error: HostError) => Promise<T>): (error: unknown) => Promise<T> {
  return (error) => {
    if (error instanceof HostError && error.params.reason === 'git_failed') return again(error);
    throw error;
  };
}

/** What a folder differs by after such a time is the work of others. */
const forgottenMs = 7 * 24 * 3_600_000;

/**
 * What differs from the state before the turn is its change set. What nobody had seen while it ran may have been changed since, by whoever
 * it was: it is marked as perhaps the user's.
 * @param now the first state of the folder that this engine knows
 * @param facts.isShared another conversation worked in the folder, too
 * @returns undefined if there is nothing to record @throws HostError `changes_unknown`
 */
export async function recordInterrupted(
  folder: OpenedFolder,
  { id, conversationId, before, isLate, seen }: UnfinishedTurn,
  now: Snapshot,
  { at, isShared }: { readonly at: number; readonly isShared: boolean },
): Promise<ChangeRecord | undefined> {
  if (now.at - before.at > forgottenMs) return undefined;
  const differences = await compareSnapshots(folder, before, now);
  if (differences.length === 0) return undefined;
  const later = seen && new Set((await compareSnapshots(folder, seen.snapshot, now)).flatMap(({ path, from }) => [path, from]));
  const files = differences.map((file) => {
    const isNamed = [file.path, file.from].some((path) => seen?.named.has(shown(path)));
    const row = rowOf(file, isNamed ? 'tool' : 'other');
    const isSeen = later !== undefined && ![file.path, file.from].some((path) => later.has(path));
    return isSeen ? row : { ...row, alsoUser: true as const };
  });
  const problems: ChangesProblem[] = ['interrupted'];
  if (isLate) problems.push('late');
  if (isShared) problems.push('shared');
  const stored = await folder.records.store(differences);
  return folder.records.save(conversationId, { ...setOf({ id, at, problems }, files), kind: 'turn', undoes: [] }, stored);
}
