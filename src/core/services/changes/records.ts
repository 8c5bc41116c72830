import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { HostError } from '../../base/errors.js';
import { parseJson } from '../../base/parseJson.js';
import { removeFile } from '../../node/files.js';
import { sliced } from '../../node/sliced.js';
import { type ChangedFile, type ChangeSet, changesProblems, fileStatuses, unkeptReasons } from '../../session/changes.js';
import { type BytePath, compareTrees, emptyTree, type FileDifference, type FileVersion, unkeptIn } from './differences.js';
import type { Git, GitCall } from './git.js';

/** Which changes an undo took back. */
export interface UndoneChanges {
  readonly id: string;
  /** As in ChangedFile. */
  readonly paths: readonly string[];
}

/** A change set as it is saved. */
export interface ChangeRecord extends Omit<ChangeSet, 'kind'> {
  readonly kind: 'turn' | 'undo';
  readonly undoes: readonly UndoneChanges[];
}

/** Both versions of changed files: the name of a tree or a commit with the folders `before` and `after`. */
export type StoredChanges = string;

/** The rows of most further files are found by comparing again. */
const savedFiles = 1_000;

/** The exit code of git for an object or a ref that does not exist. */
const noSuchObject = 128;

const flag = z.exactOptional(z.literal(true));
const recordSchema = z.object({
  id: z.string(),
  kind: z.enum(['turn', 'undo']),
  at: z.number(),
  files: z.array(
    z.object({
      path: z.string(),
      status: z.enum(fileStatuses),
      from: z.exactOptional(z.string()),
      added: z.number(),
      removed: z.number(),
      by: z.enum(['tool', 'other']),
      isBinary: flag,
      unkept: z.exactOptional(z.enum(unkeptReasons)),
      alsoUser: flag,
    }),
  ),
  fileCount: z.number(),
  added: z.number(),
  removed: z.number(),
  problems: z.array(z.enum(changesProblems)),
  undoes: z.array(z.object({ id: z.string(), paths: z.array(z.string()) })),
});
const reviewedSchema = z.array(z.object({ id: z.string(), paths: z.optional(z.array(z.string())), hunk: z.exactOptional(z.string()) }));

const otherFoldersSchema = z.array(z.string());

/** What the user has reviewed of a change set; without paths: all of it. */
export interface Reviewed {
  readonly id: string;
  readonly paths?: readonly string[] | undefined;
  /** Only this part of the file that had this path before. */
  readonly hunk?: string;
}

/** What the packs of change sets are called in the repository, before a `-`. */
export const recordPacks = 'objects/pack/pack';

/** Where a change set is. */
export interface SavedChanges {
  readonly conversationId: string;
  readonly id: string;
  readonly commit: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What a change set did to one file: its blobs. A side without one has no such file. */
export interface FileChange extends SavedChanges {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/**
 * The change sets of conversations in a repository: each is a commit with two folders, the changed files before and after, and its facts as
 * the message, below the time. It has nothing else of the project, so it needs no other repository.
 */
export class ChangeRecords {
  readonly #git: Git;
  readonly #call: GitCall;
  /** The change set that was read last: whoever reviews it asks for one file after the other. */
  #latest: { readonly ref: string; readonly files: Promise<readonly FileDifference[]> } | undefined;

  constructor(git: Git) {
    this.#git = git;
    this.#call = { cwd: git.directory };
  }

  /** Stores both versions of the files, except those of which one is not kept. @throws HostError `changes_unknown` */
  async store(differences: readonly FileDifference[]): Promise<StoredChanges> {
    const call = { ...this.#call, index: 'index-record' };
    await removeFile(join(this.#git.directory, call.index));
    const line = (version: FileVersion | undefined, path: string): readonly string[] =>
      version === undefined ? [] : [`${version.mode} ${version.blob}\t${path}\0`];
    const lines: string[] = [];
    for await (const file of sliced(differences))
      if (unkeptIn(file) === undefined) lines.push(...line(file.before, `before/${file.from}`), ...line(file.after, `after/${file.path}`));
    await this.#git.run(['update-index', '-z', '--index-info'], { ...call, input: Buffer.from(lines.join(''), 'latin1') });
    return this.#git.text(['write-tree'], call);
  }

  /** @returns the record as it is read again @throws HostError `changes_unknown` */
  async save(conversationId: string, record: ChangeRecord, stored: StoredChanges): Promise<ChangeRecord> {
    const isSpecial = ({ by, unkept, alsoUser }: ChangedFile): boolean =>
      unkept !== undefined || alsoUser === true || (by === 'tool' && record.kind === 'turn');
    const saved = { ...record, files: record.files.filter((file, index) => index < savedFiles || isSpecial(file)) };
    // Git itself knows only the second.
    const input = `${record.at}\n\n${JSON.stringify(saved)}`;
    const commit = await this.#git.text(['commit-tree', stored, '-F', '-'], { ...this.#call, input });
    // What the project has is copied, because it may remove it at any time. Upkeep saves more space than there is time for here.
    await this.#git.run(['pack-objects', '--quiet', '--revs', '--window=0', recordPacks], { ...this.#call, input: `${commit}\n` });
    await this.#git.run(['update-ref', refOf(conversationId, record.id), commit], this.#call);
    return saved;
  }

  /** The files that differ between both versions. @throws HostError `changes_unknown` */
  async compare(stored: StoredChanges): Promise<readonly FileDifference[]> {
    const { before, after } = await this.#sides(stored);
    return compareTrees(this.#git, before, after);
  }

  /** Oldest first. What can't be read is left out. @throws HostError `changes_unknown` */
  async list(conversationId: string): Promise<readonly ChangeRecord[]> {
    const format = '--format=%(contents:body)%00';
    const { stdout } = await this.#git.run(['for-each-ref', format, `refs/changes/${conversationId}/`], this.#call);
    const records = stdout
      .toString('utf8')
      .split('\0')
      .flatMap((text) => recordSchema.safeParse(parseJson(text)).data ?? []);
    return records.sort((a, b) => a.at - b.at);
  }

  /** The files of a change set, each with both versions. @throws HostError `changes_unknown` */
  differences(conversationId: string, id: string): Promise<readonly FileDifference[]> {
    const ref = refOf(conversationId, id);
    if (this.#latest?.ref === ref) return this.#latest.files;
    const files = this.compare(ref);
    this.#latest = { ref, files };
    files.catch(() => (this.#latest = undefined));
    return files;
  }

  /** A patch for `git apply`. @throws HostError `changes_unknown` */
  async patch(stored: StoredChanges): Promise<Buffer> {
    const { before, after } = await this.#sides(stored);
    const options = ['-r', '-p', '-M', '--binary', '--full-index', '--no-ext-diff', '--no-textconv'];
    return (await this.#git.run(['diff-tree', ...options, before, after], this.#call)).stdout;
  }

  /** @throws HostError `changes_unknown` */
  async content(blob: string): Promise<Buffer> {
    return (await this.#git.run(['cat-file', 'blob', blob], this.#call)).stdout;
  }

  /** How large the blobs are that exist, in bytes, by their ids. @throws HostError `changes_unknown` */
  async sizes(blobs: Iterable<string>): Promise<ReadonlyMap<string, number>> {
    const { stdout } = await this.#git.run(['cat-file', '--batch-check'], { ...this.#call, input: linesOf(blobs) });
    const sizes = new Map<string, number>();
    for await (const line of sliced(stdout.toString('latin1').split('\n'))) {
      const [blob = '', , size] = line.split(' ');
      if (size !== undefined) sizes.set(blob, Number(size));
    }
    return sizes;
  }

  /** The contents of blobs, by their ids. @throws HostError `changes_unknown` */
  async contents(blobs: Iterable<string>): Promise<ReadonlyMap<string, Buffer>> {
    const { stdout } = await this.#git.run(['cat-file', '--batch'], { ...this.#call, input: linesOf(blobs) });
    const contents = new Map<string, Buffer>();
    for (let at = 0; at < stdout.length; ) {
      const end = stdout.indexOf(0x0a, at);
      const [blob = '', type, size] = stdout.toString('latin1', at, end).split(' ');
      at = end + 1;
      if (type === 'missing') continue;
      contents.set(blob, stdout.subarray(at, at + Number(size)));
      at += Number(size) + 1;
    }
    return contents;
  }

  /** Stores a content. @returns its blob @throws HostError `changes_unknown` */
  storeContent(bytes: Buffer): Promise<string> {
    return this.#git.text(['hash-object', '-w', '--stdin', '--no-filters'], { ...this.#call, input: bytes });
  }

  /** @throws HostError `changes_unknown` */
  reviewed(conversationId: string): Promise<readonly Reviewed[]> {
    return this.#facts(reviewedRef(conversationId), reviewedSchema);
  }

  /** @throws HostError `changes_unknown` */
  saveReviewed(conversationId: string, reviewed: readonly Reviewed[]): Promise<void> {
    return this.#saveFacts(reviewedRef(conversationId), reviewed);
  }

  /** The other folders in which the conversation may have changed something: absolute. @throws HostError `changes_unknown` */
  otherFolders(conversationId: string): Promise<readonly string[]> {
    return this.#facts(otherFoldersRef(conversationId), otherFoldersSchema);
  }

  /** @throws HostError `changes_unknown` */
  saveOtherFolders(conversationId: string, folders: readonly string[]): Promise<void> {
    return this.#saveFacts(otherFoldersRef(conversationId), folders);
  }

  /** @returns none if there are none, or nobody can read them @throws HostError `changes_unknown` */
  async #facts<T>(ref: string, schema: z.ZodMiniType<readonly T[]>): Promise<readonly T[]> {
    const call = { ...this.#call, accepts: [0, noSuchObject] };
    const { code, stdout } = await this.#git.run(['cat-file', 'blob', ref], call);
    return code === 0 ? (schema.safeParse(parseJson(stdout.toString('utf8'))).data ?? []) : [];
  }

  /** @throws HostError `changes_unknown` */
  async #saveFacts(ref: string, facts: readonly unknown[]): Promise<void> {
    const blob = await this.storeContent(Buffer.from(JSON.stringify(facts)));
    await this.#git.run(['update-ref', ref, blob], this.#call);
  }

  /** Removes all of a conversation. @throws HostError `changes_unknown` */
  async remove(conversationId: string): Promise<void> {
    const all = [`refs/changes/${conversationId}/`, reviewedRef(conversationId)];
    const refs = await this.#git.text(['for-each-ref', '--format=%(refname)', ...all], this.#call);
    if (refs !== '') await this.#removeRefs(refs.split('\n'));
  }

  /** Whether there is something of any conversation, if only that it worked in other folders. @throws HostError `changes_unknown` */
  async hasAny(): Promise<boolean> {
    return (await this.#git.text(['for-each-ref', '--count=1', '--format=%(refname)', 'refs/changes/'], this.#call)) !== '';
  }

  /** All change sets of all conversations, the oldest first. @throws HostError `changes_unknown` */
  async all(): Promise<readonly SavedChanges[]> {
    const format = '--format=%(refname) %(objectname) %(contents:subject)';
    const listed = await this.#git.text(['for-each-ref', format, 'refs/changes/'], this.#call);
    const all = listed.split('\n').flatMap((line) => {
      const [, conversationId, id, commit, at] = /^refs\/changes\/([^/]+)\/(\S+) (\S+) (\d+)$/.exec(line) ?? [];
      return conversationId === undefined || id === undefined || commit === undefined
        ? []
        : [{ conversationId, id, commit, at: Number(at) }];
    });
    return all.sort((a, b) => a.at - b.at);
  }

  /** What all change sets did to one file, the newest first. @throws HostError `changes_unknown` */
  async changesOf(path: BytePath): Promise<readonly FileChange[]> {
    // Git reads one name from each line.
    if (path.includes('\n')) return [];
    const all = (await this.all()).toReversed();
    const input = all.map(({ commit }) => `${commit}:before/${path}\n${commit}:after/${path}\n`).join('');
    const call = { ...this.#call, input: Buffer.from(input, 'latin1') };
    const found = (await this.#git.text(['cat-file', '--batch-check'], call))
      .split('\n')
      .map((line) => /^([0-9a-f]+) blob \d+$/.exec(line)?.[1]);
    return all.flatMap((saved, index) => {
      const [before, after] = found.slice(2 * index, 2 * index + 2);
      return before === after ? [] : [{ ...saved, before, after }];
    });
  }

  /** What an undo took back; undefined for a turn. @throws HostError `changes_unknown` */
  async undoneBy({ conversationId, id }: SavedChanges): Promise<readonly UndoneChanges[] | undefined> {
    const format = '--format=%(contents:body)';
    const text = await this.#git.text(['for-each-ref', format, refOf(conversationId, id)], this.#call);
    const record = recordSchema.safeParse(parseJson(text)).data;
    return record?.kind === 'undo' ? record.undoes : undefined;
  }

  /** Removes change sets. @throws HostError `changes_unknown` */
  async removeSome(changes: readonly SavedChanges[]): Promise<void> {
    await this.#removeRefs(changes.map(({ conversationId, id }) => refOf(conversationId, id)));
  }

  async #removeRefs(refs: readonly string[]): Promise<void> {
    this.#latest = undefined;
    await this.#git.run(['update-ref', '--stdin'], { ...this.#call, input: refs.map((ref) => `delete ${ref}\n`).join('') });
  }

  /** @throws HostError `changes_unknown` */
  async #sides(stored: StoredChanges): Promise<{ readonly before: string; readonly after: string }> {
    const { code, stdout } = await this.#git.run(['ls-tree', stored], { ...this.#call, accepts: [0, noSuchObject] });
    if (code !== 0) throw new HostError('changes_unknown', { reason: 'not_recorded' });
    const listed = stdout.toString('latin1');
    const treeOf = (name: string): string => new RegExp(`^040000 tree ([0-9a-f]+)\t${name}$`, 'm').exec(listed)?.[1] ?? emptyTree;
    return { before: treeOf('before'), after: treeOf('after') };
  }
}

/** The name that git gives to a content. */
export function blobOf(bytes: Buffer): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

function linesOf(blobs: Iterable<string>): string {
  return [...blobs].map((blob) => `${blob}\n`).join('');
}

function refOf(conversationId: string, id: string): string {
  return `refs/changes/${conversationId}/${id}`;
}

function otherFoldersRef(conversationId: string): string {
  return refOf(conversationId, 'otherFolders');
}

function reviewedRef(conversationId: string): string {
  return `refs/reviewed/${conversationId}`;
}

/**
 * What was taken back since, by an undo that was not taken back itself: of each change set, the paths and earlier paths as in ChangedFile.
 * @param records oldest first
 */
export function undonePaths(
  records: readonly Pick<ChangeRecord, 'id' | 'files' | 'fileCount' | 'undoes'>[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const undone = new Map<string, Set<string>>(records.map(({ id }) => [id, new Set()]));
  /** Of the records that are short enough to have all of them. */
  const filesOf = new Map(records.filter(({ files, fileCount }) => files.length >= fileCount).map(({ id, files }) => [id, files]));
  /** For each undo and each path: the change sets whose marks it changed, and whether they have one since. */
  const effects = new Map<string, ReadonlyMap<string, ReadonlyMap<string, boolean>>>();
  for (const { id, undoes } of records) {
    const own = new Map<string, Map<string, boolean>>();
    const mark = (target: string, path: string, isUndone: boolean): void => {
      const marks = undone.get(target);
      if (marks === undefined || marks.has(path) === isUndone) return;
      if (isUndone) marks.add(path);
      else marks.delete(path);
      const changed = own.get(path) ?? new Map<string, boolean>();
      // A mark that is changed twice is as before.
      if (!changed.delete(target)) changed.set(target, isUndone);
      own.set(path, changed);
    };
    for (const { id: target, paths } of undoes) {
      const before = effects.get(target) ?? new Map<string, ReadonlyMap<string, boolean>>();
      const isTakenBack = (path: string): boolean => undone.get(target)?.has(path) === true;
      const takeBack = (path: string): void => {
        // What an undo took back is there again once the undo is taken back.
        for (const [other, isUndone] of before.get(path) ?? []) mark(other, path, !isUndone);
        mark(target, path, true);
      };
      for (const path of paths) takeBack(path);
      // An undo lists no name that a file had only between two turns. It is taken back with the last file.
      if (filesOf.get(target)?.every(({ path }) => isTakenBack(path)) === true)
        for (const path of before.keys()) if (!isTakenBack(path)) takeBack(path);
    }
    effects.set(id, own);
  }
  return undone;
}

/** Marks what was taken back since, and what was reviewed. @param records oldest first */
export function withMarks(records: readonly ChangeRecord[], reviewed: readonly Reviewed[]): readonly (readonly ChangedFile[])[] {
  const undone = undonePaths(records);
  const reviewedOf = marksOf(reviewed);
  return records.map(({ id, files }) => {
    const marks = reviewedOf.get(id);
    return files.map((file) => {
      const reviewedHunks = marks?.hunks.get(file.from ?? file.path);
      return {
        ...file,
        ...(reviewedHunks && { reviewedHunks }),
        ...(undone.get(id)?.has(file.path) === true && { isUndone: true as const }),
        ...((marks?.isWhole === true || marks?.paths.has(file.path) === true) && { isReviewed: true as const }),
      };
    });
  });
}

/** What the user reviewed of one change set. */
interface Marks {
  isWhole: boolean;
  readonly paths: Set<string>;
  /** By the paths before the change. */
  readonly hunks: Map<string, string[]>;
}

function marksOf(reviewed: readonly Reviewed[]): ReadonlyMap<string, Marks> {
  const all = new Map<string, Marks>();
  for (const { id, paths, hunk } of reviewed) {
    const marks: Marks = all.get(id) ?? { isWhole: false, paths: new Set(), hunks: new Map() };
    all.set(id, marks);
    if (hunk === undefined) {
      marks.isWhole ||= paths === undefined;
      for (const path of paths ?? []) marks.paths.add(path);
      continue;
    }
    for (const path of paths ?? []) {
      const hunks = marks.hunks.get(path) ?? [];
      hunks.push(hunk);
      marks.hunks.set(path, hunks);
    }
  }
  return all;
}

/** Returns what later turns renamed the file to; undefined if none did, or if that was undone. @param since the id of a change set */
export function newNameOf(records: readonly ChangeRecord[], since: string | undefined, path: string): string | undefined {
  const undone = undonePaths(records);
  let name = path;
  for (const { id, files } of records.slice(records.findIndex((record) => record.id === since) + 1)) {
    const renamed = files.find(({ from }) => from === name);
    if (renamed !== undefined && undone.get(id)?.has(name) !== true) name = renamed.path;
  }
  return name === path ? undefined : name;
}
