import { randomUUID } from 'node:crypto';
import { isAbsolute, relative, sep } from 'node:path';
import { type Disposable, DisposableStore } from '../../base/disposable.js';
import { type HostError, toHostError } from '../../base/errors.js';
import { Emitter } from '../../base/event.js';
import { isWithin } from '../../base/paths.js';
import { realFolderPath } from '../../node/smallFiles.js';
import { type ChangedFile, type ChangeSet, type LeftFile, type ShownEdit, shownFiles, type UndoResult } from '../../session/changes.js';
import { ConversationChanges, type UndoRequest } from './conversationChanges.js';
import type { FolderChanges } from './folderChanges.js';
import type { EditorTexts } from './workingFiles.js';

export interface ChangesInFoldersOptions {
  /** Of the conversation. */
  readonly id: string;
  /** The folder of the conversation as its agent and its editor call it; absolute. */
  readonly cwd: string;
  /** @param path absolute */
  readonly folderAt: (path: string) => FolderChanges;
  readonly editor: EditorTexts;
}

/** The changes in one folder. What is before the path of a file there makes it relative to the conversation's folder. */
interface Part {
  readonly prefix: string;
  readonly changes: ConversationChanges;
}

/** A change set in one folder, with the prefix of that folder. */
type Placed = readonly [prefix: string, set: ChangeSet];
type AllPlaced = readonly [Placed, ...(readonly Placed[])];

/**
 * What the turns of one conversation changed in its folder, and in the others that its agent was told of. A turn is one change set: the paths
 * of files in other folders begin with `../`.
 */
export class ChangesInFolders implements Disposable {
  readonly #options: ChangesInFoldersOptions;
  readonly #folder: FolderChanges;
  readonly #own: Part;
  readonly #others = new Map<string, Part>();
  readonly #onChange = new Emitter<void>();
  readonly #owned = new DisposableStore();
  /** Those of the last turn. */
  #told: readonly Part[] = [];
  #sets: readonly ChangeSet[] = [];
  readonly #joined = new Map<string, { readonly of: AllPlaced; readonly set: ChangeSet }>();

  constructor(options: ChangesInFoldersOptions) {
    this.#options = options;
    this.#folder = options.folderAt(options.cwd);
    this.#own = this.#partIn(options.cwd, '', this.#folder);
    this.#owned.add(this.#onChange);
  }

  readonly onChange = this.#onChange.event;

  /** Oldest first. Unchanged ones keep their identity. */
  get sets(): readonly ChangeSet[] {
    return this.#sets;
  }

  /** Why the last turn could not be recorded. */
  get failure(): HostError | undefined {
    return [this.#own, ...this.#told].find(({ changes }) => changes.failure !== undefined)?.changes.failure;
  }

  /** Reads what was recorded, also later if it takes long. Never rejects. */
  async load(): Promise<void> {
    await this.#own.changes.load();
    // Where that is not known, why is told by the folder itself.
    this.#add(await this.#known().catch(() => []));
    await Promise.all([...this.#others.values()].map(({ changes }) => changes.load()));
  }

  /** Makes the first snapshot before it is needed. */
  warm(): void {
    this.#own.changes.warm();
  }

  /** Makes those of the other folders that the agent was told of: absolute. */
  told(folders: readonly string[]): void {
    this.#include(folders);
    for (const folder of folders) this.#others.get(folder)?.changes.warm();
  }

  /**
   * Call this before the agent gets the prompt. Resolves when the state before is known, or can't be in time. Never rejects.
   * @param folders the others that the agent was told of: absolute
   */
  async begin(turnId: string, folders: readonly string[]): Promise<void> {
    this.#include(folders);
    this.#told = folders.flatMap((folder) => this.#others.get(folder) ?? []);
    await Promise.all([this.#own, ...this.#told].map(({ changes }) => changes.begin(turnId)));
  }

  /** Updates what the running turn has changed so far, if that is not too soon. */
  look(turnId: string, named: () => ReadonlySet<string>): void {
    for (const { changes } of this.#parts) changes.look(turnId, named);
  }

  /**
   * Call this when the agent has ended its turn. Resolves when it is known what changed. Never rejects.
   * @param named the files that its tool calls named, absolute
   * @param edits what they show, in order
   */
  async end(turnId: string, named: ReadonlySet<string>, edits: readonly ShownEdit[] = []): Promise<void> {
    const elsewhere = edits.filter(({ path }) => isAbsolute(path));
    await Promise.all(this.#parts.map((part) => part.changes.end(turnId, named, part === this.#own ? edits : elsewhere)));
  }

  /** Resolves when the last turn that ended is recorded. Never rejects. */
  async settled(): Promise<void> {
    await Promise.all(this.#parts.map(({ changes }) => changes.settled()));
  }

  /** @param paths as in ChangedFile; absent: all @throws HostError `changes_unknown` */
  async review(ids: readonly string[], paths?: readonly string[]): Promise<void> {
    for (const { changes, ...of } of this.#divide({ ids, paths })) await changes.review(of.ids, of.paths);
  }

  /** Takes `review` of one file back; not that of all files together. @throws HostError `changes_unknown` */
  async reviewAgain(id: string, path: string): Promise<void> {
    const { changes, name } = this.#at(path);
    await changes.reviewAgain(id, name);
  }

  /** @param path before the change @param hunk as the front end names it @throws HostError `changes_unknown` */
  async reviewHunk(id: string, path: string, hunk: string): Promise<void> {
    const { changes, name } = this.#at(path);
    await changes.reviewHunk(id, name, hunk);
  }

  /** All files of a change set. @throws HostError `changes_unknown` */
  async files(id: string): Promise<readonly ChangedFile[]> {
    const having = this.#parts.filter(({ changes }) => has(changes, id));
    // Without any, it says that there is none.
    const found = (having.length === 0 ? [this.#own] : having).map(async ({ prefix, changes }) => renamed(prefix, await changes.files(id)));
    return (await Promise.all(found)).flat().sort(byPath);
  }

  /** @returns undefined if there was no such file @throws HostError `changes_unknown` */
  content(id: string, path: string, side: 'before' | 'after'): Promise<Buffer | undefined> {
    const { changes, name } = this.#at(path);
    return changes.content(id, name, side);
  }

  /**
   * What is not undone of the change sets, for `git apply -R` in the conversation's folder, which takes nothing of other folders.
   * @param ids oldest first
   * @throws HostError `changes_unknown`
   */
  patch(ids: readonly string[]): Promise<Buffer> {
    const { changes } = this.#own;
    const isElsewhere = (id: string): boolean => !has(changes, id) && this.#parts.some((part) => has(part.changes, id));
    return changes.patch(ids.filter((id) => !isElsewhere(id)));
  }

  /** Takes back what is not taken back yet, as a change set of its own. @throws HostError `changes_unknown`, if nothing was taken back */
  async undo({ ids, paths }: UndoRequest): Promise<UndoResult> {
    const id = randomUUID();
    const parts = this.#divide({ ids, paths });
    // Without any, it says that there is nothing.
    if (parts.length === 0) return this.#own.changes.undo({ ids, paths });
    const undone: string[] = [];
    const left: LeftFile[] = [];
    const failures: HostError[] = [];
    let isChanged = false;
    for (const { prefix, changes, ...of } of parts) {
      try {
        const result = await changes.undo({ ...of, id });
        isChanged ||= result.id !== undefined;
        for (const path of result.undone) undone.push(prefix + path);
        for (const file of result.left) left.push({ ...file, path: prefix + file.path });
      } catch (error) {
        // The other folders have no part in that.
        const failure = toHostError(error, 'changes_unknown');
        failures.push(failure);
        for (const path of of.paths ?? (await namesOf(changes, of.ids))) left.push({ path: prefix + path, ...whyOf(failure) });
      }
    }
    if (!isChanged && failures[0] !== undefined) throw failures[0];
    return { ...(isChanged && { id }), undone, left };
  }

  dispose(): void {
    this.#owned.dispose();
  }

  get #parts(): readonly Part[] {
    return [this.#own, ...this.#others.values()];
  }

  #partIn(path: string, prefix: string, folder: FolderChanges): Part {
    const { id, editor } = this.#options;
    const changes = this.#owned.add(new ConversationChanges({ id, cwd: path, folder, editor }));
    this.#owned.add(changes.onChange(() => this.#draw()));
    return { prefix, changes };
  }

  async #known(): Promise<readonly string[]> {
    return (await this.#folder.exists()) ? this.#folder.read(({ records }) => records.otherFolders(this.#options.id)) : [];
  }

  /** @param folders absolute */
  #include(folders: readonly string[]): void {
    if (!this.#add(folders)) return;
    const all = [...this.#others.keys()];
    // Where that fails, so does recording in the conversation's own folder, which says why.
    this.#folder.exclusive(({ records }) => records.saveOtherFolders(this.#options.id, all)).catch(() => {});
  }

  /** @param folders absolute @returns whether one is new */
  #add(folders: readonly string[]): boolean {
    const { cwd, folderAt } = this.#options;
    let isNew = false;
    for (const folder of folders) {
      const way = relative(cwd, folder).replaceAll(sep, '/');
      // Where one is in another one, all files are in the outer one; on another drive, none has a relative path.
      const isApart = [cwd, realFolderPath(cwd), ...this.#others.keys()].every((one) => !isWithin(one, folder) && !isWithin(folder, one));
      if (!isApart || isAbsolute(way)) continue;
      const part = this.#partIn(folder, `${way}/`, folderAt(folder));
      this.#others.set(folder, part);
      // Also in a turn: an engine that was killed may not have saved that it has this folder.
      void part.changes.load();
      isNew = true;
    }
    return isNew;
  }

  /** Whose file it is. @param path as in ChangedFile */
  #at(path: string): Part & { readonly name: string } {
    const part = [...this.#others.values()].find(({ prefix }) => path.startsWith(prefix)) ?? this.#own;
    return { ...part, name: path.slice(part.prefix.length) };
  }

  /** The folders with a part of it, each with its own part. */
  #divide({ ids, paths }: UndoRequest): readonly (Part & UndoRequest)[] {
    const named = paths?.map((path) => this.#at(path));
    return this.#parts.flatMap((part) => {
      const own = ids.filter((id) => has(part.changes, id));
      const names = named?.flatMap(({ prefix, name }) => (prefix === part.prefix ? [name] : []));
      return own.length === 0 || names?.length === 0 ? [] : [{ ...part, ids: own, paths: names }];
    });
  }

  #draw(): void {
    const byId = new Map<string, AllPlaced>();
    for (const { prefix, changes } of this.#parts)
      for (const set of changes.sets) {
        const [first, ...others] = byId.get(set.id) ?? [];
        byId.set(set.id, first === undefined ? [[prefix, set]] : [first, ...others, [prefix, set]]);
      }
    for (const id of this.#joined.keys()) if (!byId.has(id)) this.#joined.delete(id);
    const sets = [...byId].map(([id, of]) => {
      const known = this.#joined.get(id);
      const isSame = known?.of.length === of.length && known.of.every(([, set], index) => set === of[index]?.[1]);
      const joined = isSame ? known : { of, set: join(of) };
      this.#joined.set(id, joined);
      return joined.set;
    });
    this.#sets = sets.sort((a, b) => a.at - b.at);
    this.#onChange.fire();
  }
}

/** Whether it is recorded there. */
const has = ({ sets }: ConversationChanges, id: string): boolean => sets.some((set) => set.id === id && set.kind !== 'running');

/** The files that these change sets changed and that are not undone. Never rejects. */
async function namesOf(changes: ConversationChanges, ids: readonly string[]): Promise<readonly string[]> {
  const sets = changes.sets.filter(({ id }) => ids.includes(id));
  const all = await Promise.all(sets.map(({ id, files }) => changes.files(id).catch(() => files)));
  return [...new Set(all.flatMap((files) => files.flatMap(({ path, isUndone }) => (isUndone === true ? [] : [path]))))];
}

function whyOf({ params: { reason, detail } }: HostError): Pick<LeftFile, 'why' | 'detail'> {
  if (typeof detail === 'string') return { why: 'refused', detail };
  return { why: 'failed', ...(reason !== undefined && { detail: reason }) };
}

const byPath = (a: ChangedFile, b: ChangedFile): number => (a.path < b.path ? -1 : 1);

/** @returns the same files if nothing precedes their paths */
function renamed(prefix: string, files: readonly ChangedFile[]): readonly ChangedFile[] {
  if (prefix === '') return files;
  return files.map((file) => ({ ...file, path: prefix + file.path, ...(file.from !== undefined && { from: prefix + file.from }) }));
}

/** The change sets with the same id in several folders, as one. */
function join(all: AllPlaced): ChangeSet {
  const [[prefix, first], ...others] = all;
  if (others.length === 0 && prefix === '') return first;
  const sets = all.map(([, set]) => set);
  const sum = (of: 'fileCount' | 'added' | 'removed'): number => sets.reduce((total, set) => total + set[of], 0);
  const undoneSets = [...new Set(sets.flatMap((set) => set.undoneSets ?? []))];
  return {
    ...first,
    kind: sets.find(({ kind }) => kind === 'running')?.kind ?? first.kind,
    at: Math.max(...sets.map(({ at }) => at)),
    files: all
      .flatMap(([of, set]) => renamed(of, set.files))
      .sort(byPath)
      .slice(0, shownFiles),
    fileCount: sum('fileCount'),
    added: sum('added'),
    removed: sum('removed'),
    problems: [...new Set(sets.flatMap(({ problems }) => problems))],
    ...(undoneSets.length > 0 && { undoneSets }),
  };
}
