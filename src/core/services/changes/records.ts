import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { parseJson } from '../../base/parseJson.js';
import { type ChangedFile, type ChangeSet, fileStatuses } from '../../session/changes.js';
import type { Git } from './git.js';
import { compareTrees, emptyTree, type FileDifference } from './snapshot.js';

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

/** Both versions of changed files, as the names of trees. */
export interface StoredChanges {
  readonly root: string;
  readonly before: string;
  readonly after: string;
}

/** The rows of further files are found by comparing again, without who changed them. */
const savedFiles = 1_000;

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
      isUnkept: flag,
      alsoUser: flag,
    }),
  ),
  fileCount: z.number(),
  added: z.number(),
  removed: z.number(),
  problems: z.array(z.enum(['late', 'shared'])),
  undoes: z.array(z.object({ id: z.string(), paths: z.array(z.string()) })),
});
const reviewedSchema = z.array(z.object({ id: z.string(), paths: z.optional(z.array(z.string())) }));

/** What the user has reviewed of a change set; without paths: all of it. */
export type Reviewed = z.infer<typeof reviewedSchema>[number];

/**
 * The change sets of conversations in a repository: each is a commit with two folders, the changed files before and after, and its facts as
 * the message. It has nothing else of the project, so it needs no other repository.
 */
export class ChangeRecords {
  readonly #git: Git;
  readonly #cwd: string;

  constructor(git: Git) {
    this.#git = git;
    this.#cwd = git.directory;
  }

  /** Stores both versions of the files. @throws HostError `changes_unknown` */
  async store(differences: readonly FileDifference[]): Promise<StoredChanges> {
    const call = { cwd: this.#cwd, index: 'index-record' };
    await this.#git.run(['read-tree', '--empty'], call);
    const lines = differences.flatMap(({ path, from, before, after }) => [
      ...(before?.blob === undefined ? [] : [`${before.mode} ${before.blob}\tbefore/${from}\0`]),
      ...(after?.blob === undefined ? [] : [`${after.mode} ${after.blob}\tafter/${path}\0`]),
    ]);
    await this.#git.run(['update-index', '-z', '--index-info'], { ...call, input: Buffer.from(lines.join(''), 'latin1') });
    const root = await this.#git.text(['write-tree'], call);
    return { root, ...(await this.#sides(root)) };
  }

  /** @throws HostError `changes_unknown` */
  async save(conversationId: string, record: ChangeRecord, { root }: StoredChanges): Promise<void> {
    const message = JSON.stringify({ ...record, files: record.files.slice(0, savedFiles) });
    const commit = await this.#git.text(['commit-tree', root, '-F', '-'], { cwd: this.#cwd, input: message });
    // What the project has is copied, because it may remove it at any time.
    await this.#git.run(['pack-objects', '--quiet', '--revs', 'objects/pack/pack'], { cwd: this.#cwd, input: `${commit}\n` });
    await this.#git.run(['update-ref', refOf(conversationId, record.id), commit], { cwd: this.#cwd });
  }

  /** The files that differ between both versions. @throws HostError `changes_unknown` */
  compare({ before, after }: StoredChanges): Promise<readonly FileDifference[]> {
    return compareTrees(this.#git, this.#cwd, before, after);
  }

  /** Oldest first. What can't be read is left out. @throws HostError `changes_unknown` */
  async list(conversationId: string): Promise<readonly ChangeRecord[]> {
    const format = '--format=%(contents)%00';
    const { stdout } = await this.#git.run(['for-each-ref', format, `refs/changes/${conversationId}/`], { cwd: this.#cwd });
    const records = stdout
      .toString('utf8')
      .split('\0')
      .flatMap((text) => recordSchema.safeParse(parseJson(text)).data ?? []);
    return records.sort((a, b) => a.at - b.at);
  }

  /** The files of a change set, each with both versions. @throws HostError `changes_unknown` */
  async differences(conversationId: string, id: string): Promise<readonly FileDifference[]> {
    return this.compare(await this.#read(conversationId, id));
  }

  /** A patch for `git apply`. @throws HostError `changes_unknown` */
  async patch(conversationId: string, id: string): Promise<Buffer> {
    const { before, after } = await this.#read(conversationId, id);
    const options = ['-r', '-p', '-M', '--binary', '--full-index', '--no-ext-diff', '--no-textconv'];
    return (await this.#git.run(['diff-tree', ...options, before, after], { cwd: this.#cwd })).stdout;
  }

  /** @throws HostError `changes_unknown` */
  async content(blob: string): Promise<Buffer> {
    return (await this.#git.run(['cat-file', 'blob', blob], { cwd: this.#cwd })).stdout;
  }

  /** The contents of many blobs, by their ids. @throws HostError `changes_unknown` */
  async contents(blobs: ReadonlySet<string>): Promise<ReadonlyMap<string, Buffer>> {
    const input = [...blobs].map((blob) => `${blob}\n`).join('');
    const { stdout } = await this.#git.run(['cat-file', '--batch'], { cwd: this.#cwd, input });
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
    return this.#git.text(['hash-object', '-w', '--stdin', '--no-filters'], { cwd: this.#cwd, input: bytes });
  }

  /** @throws HostError `changes_unknown` */
  async reviewed(conversationId: string): Promise<readonly Reviewed[]> {
    const { code, stdout } = await this.#git.run(['cat-file', 'blob', reviewedRef(conversationId)], {
      cwd: this.#cwd,
      accepts: [0, 128],
    });
    return code === 0 ? (reviewedSchema.safeParse(parseJson(stdout.toString('utf8'))).data ?? []) : [];
  }

  /** @throws HostError `changes_unknown` */
  async saveReviewed(conversationId: string, reviewed: readonly Reviewed[]): Promise<void> {
    const blob = await this.storeContent(Buffer.from(JSON.stringify(reviewed)));
    await this.#git.run(['update-ref', reviewedRef(conversationId), blob], { cwd: this.#cwd });
  }

  /** Removes all of a conversation. @throws HostError `changes_unknown` */
  async remove(conversationId: string): Promise<void> {
    const all = [`refs/changes/${conversationId}/`, reviewedRef(conversationId)];
    const refs = await this.#git.text(['for-each-ref', '--format=delete %(refname)', ...all], { cwd: this.#cwd });
    if (refs !== '') await this.#git.run(['update-ref', '--stdin'], { cwd: this.#cwd, input: `${refs}\n` });
  }

  async #read(conversationId: string, id: string): Promise<StoredChanges> {
    const root = refOf(conversationId, id);
    return { root, ...(await this.#sides(root)) };
  }

  async #sides(root: string): Promise<Omit<StoredChanges, 'root'>> {
    const listed = await this.#git.text(['ls-tree', root], { cwd: this.#cwd });
    const treeOf = (name: string): string => new RegExp(`^040000 tree ([0-9a-f]+)\t${name}$`, 'm').exec(listed)?.[1] ?? emptyTree;
    return { before: treeOf('before'), after: treeOf('after') };
  }
}

/** The name that git gives to a content. */
export function blobOf(bytes: Buffer): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

function refOf(conversationId: string, id: string): string {
  return `refs/changes/${conversationId}/${id}`;
}

function reviewedRef(conversationId: string): string {
  return `refs/reviewed/${conversationId}`;
}

/** Marks what was taken back since, by an undo that was not taken back itself, and what was reviewed. @param records oldest first */
export function withMarks(records: readonly ChangeRecord[], reviewed: readonly Reviewed[]): readonly (readonly ChangedFile[])[] {
  const undone = new Map<string, Set<string>>(records.map(({ id }) => [id, new Set()]));
  const byId = new Map(records.map((record) => [record.id, record]));
  const set = (id: string, paths: readonly string[], isUndone: boolean): void => {
    const marks = undone.get(id);
    if (marks === undefined) return;
    for (const path of paths)
      if (isUndone) marks.add(path);
      else marks.delete(path);
    // What an undo took back is there again once the undo is taken back.
    for (const before of byId.get(id)?.undoes ?? [])
      set(
        before.id,
        before.paths.filter((path) => paths.includes(path)),
        !isUndone,
      );
  };
  for (const { undoes } of records) for (const { id, paths } of undoes) set(id, paths, true);
  const seen = new Map<string, ReadonlySet<string> | 'all'>();
  for (const { id, paths } of reviewed) {
    const before = seen.get(id);
    if (before !== 'all') seen.set(id, paths === undefined ? 'all' : new Set([...(before ?? []), ...paths]));
  }
  return records.map(({ id, files }) => {
    const marks = seen.get(id);
    return files.map((file) => ({
      ...file,
      ...(undone.get(id)?.has(file.path) === true && { isUndone: true as const }),
      ...((marks === 'all' || marks?.has(file.path) === true) && { isReviewed: true as const }),
    }));
  });
}
