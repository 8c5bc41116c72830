/** Snapshots of all files of a folder, as trees of git. */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { HostError } from '../../base/errors.js';
import { namesSecret } from '../../base/secretNames.js';
import { fileFacts } from '../../node/files.js';
import { sliced } from '../../node/sliced.js';
import { isWorkFolder, sizeInStamp, workFileFacts } from '../../node/workFiles.js';
import type { UnkeptReason } from '../../session/changes.js';
import { type BytePath, entriesOf, shown } from './differences.js';
import type { Git, GitCall, GitResult } from './git.js';

/** All files of a folder at one time. */
export interface Snapshot {
  /** When it was begun, in milliseconds since the epoch. */
  readonly at: number;
  /**
   * The tree of the repository that has the folder, with only its part of it, and those of the repositories in the folder, by their paths
   * with a `/` at the end. The first path is empty.
   */
  readonly trees: ReadonlyMap<BytePath, string>;
  /** Files whose content is not kept, with what the file system says of them. */
  readonly unkept: ReadonlyMap<BytePath, string>;
}

/** Larger files are compared, and not kept. */
export const keptBytes = 5 * 1024 * 1024;
/** Clocks of file systems are that much behind. */
export const clockMs = 20;
/** Repositories inside of the folder, also inside of one another. */
const maxNested = 50;
/** How many files are stored before that is saved, so that a snapshot that takes too long is not begun from nothing again. */
export const filesStoredAtOnce = 20_000;
/** A snapshot that still stores files may take so many times its limit. */
const mostLimits = 10;
/** So many files are worth a pack of their own. */
const manyFiles = 1_000;

export interface WorkFolder {
  readonly git: Git;
  /** Absolute. */
  readonly folder: string;
  /** Absolute: the root of the repository that has the folder, whose ignore files count, or the folder. */
  readonly workTree: string;
  /** Patterns of files that are never taken. */
  readonly exclude: readonly string[];
  /** Absolute paths of more files with patterns of ignored files. */
  readonly excludes: readonly string[];
  /** Files that are taken although they are ignored. */
  readonly inSpite: readonly BytePath[];
}

export interface SnapshotLimits {
  /** How long it may take without having stored more files. */
  readonly limitMs: number;
  /** How many files are stored before that is saved. */
  readonly filesStoredAtOnce: number;
  /** An agent has worked since the last one, so there probably is something to store. */
  readonly isAfterWork?: boolean;
}

/** Without the folder, all files would seem to be deleted. @param folder absolute @throws HostError `changes_unknown` */
export async function expectFolder(folder: string): Promise<void> {
  if ((await fileFacts(folder)) === undefined)
    throw new HostError('changes_unknown', { reason: 'git_failed', detail: `no such folder: ${folder}` });
}

/** @throws HostError `changes_unknown` */
export async function takeSnapshot(
  { git, folder, workTree, exclude, excludes, inSpite }: WorkFolder,
  { limitMs, filesStoredAtOnce: storedAtOnce, isAfterWork = false }: SnapshotLimits,
): Promise<Snapshot> {
  await expectFolder(folder);
  const at = Date.now();
  const last = performance.now() + mostLimits * limitMs;
  let until = performance.now() + limitMs;
  const trees = new Map<BytePath, string>();
  const unkept = new Map<BytePath, string>();
  const roots: { prefix: BytePath; workTree: string }[] = [{ prefix: '', workTree }];
  for (let root = roots.shift(); root !== undefined; root = roots.shift()) {
    const { prefix } = root;
    const cwd = prefix === '' ? folder : root.workTree;
    const index = indexName(prefix);
    const run = (args: readonly string[], call: Partial<GitCall> = {}): Promise<GitResult> =>
      git.run(args, { cwd, workTree: root.workTree, index, limitMs: Math.max(1, until - performance.now()), ...call });
    // No ignore file of the project counts more.
    const never = exclude.map((pattern) => `--exclude=${pattern}`);
    const patterns = ['--exclude-standard', ...never, ...(prefix === '' ? excludes.map((file) => `--exclude-from=${file}`) : [])];
    const more = prefix === '' ? inSpite : [];
    // It may have what was not excluded then.
    const isOld = never.length > 0 && !git.trees.has(index);
    const storeFew = isAfterWork ? startToStore(run) : undefined;
    let few: readonly BytePath[] = [];
    let sorted: Sorted;
    try {
      const listed = [(await run(['ls-files', '-t', '-z', '-m', '-d', '-o', ...patterns])).stdout];
      // An index may be a new one. Once they are in it, they are listed as all others are.
      if (!git.trees.has(index)) listed.unshift(joined(more.map((path) => `? ${path}`)));
      sorted = await sort(Buffer.concat(listed), Buffer.from(`${cwd}/`), (path, stamp) => unkept.set(prefix + path, stamp));
      if (sorted.changed.length + sorted.dropped.length > 0) git.trees.delete(index);
      if (storeFew !== undefined && sorted.dropped.length === 0 && sorted.changed.length < Math.min(manyFiles, storedAtOnce))
        few = sorted.changed;
    } finally {
      await storeFew?.(few);
    }
    const { changed, dropped, nested } = sorted;
    for (const path of nested) {
      // A folder in which nothing can be started has a name that is no text.
      const isNamed = isUtf8(Buffer.from(prefix + path, 'latin1'));
      if (isNamed && trees.size + roots.length < maxNested) roots.push(nestedRoot(prefix + path, folder));
    }
    // A file that is gone makes room for a folder of its name.
    if (dropped.length > 0) await run(['update-index', '-z', '--force-remove', '--stdin'], { input: joined(dropped) });
    for (let from = few.length; from < changed.length; from += storedAtOnce) {
      const some = changed.slice(from, from + storedAtOnce);
      await run(storeFiles, { input: joined(some), isLarge: some.length >= manyFiles });
      until = Math.min(last, performance.now() + limitMs);
    }
    if (isOld || [...changed, ...dropped].some(isIgnoreFile)) {
      const kept = new Set(more);
      const ignored = [...entriesOf((await run(['ls-files', '-z', '-c', '-i', ...patterns])).stdout)].filter((path) => !kept.has(path));
      if (ignored.length > 0) await run(['update-index', '-z', '--force-remove', '--stdin'], { input: joined(ignored) });
    }
    const tree = git.trees.get(index) ?? (await run(['write-tree'])).stdout.toString('latin1').trim();
    git.trees.set(index, tree);
    trees.set(prefix, tree);
  }
  return { at, trees, unkept };
}

const storeFiles = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin'];

/**
 * Starts git before it is known which files it has to store: in a small folder, its start takes longer than its work.
 * @returns tells it the files, and resolves when they are stored; with none, nothing is changed. Must be called.
 */
function startToStore(run: (args: readonly string[], call: Partial<GitCall>) => Promise<GitResult>) {
  let tell: (input: Buffer) => void = () => {};
  const stored = run(storeFiles, { input: new Promise((resolve) => (tell = resolve)) });
  // The one that waits for it later gets the failure.
  stored.catch(() => {});
  return async (paths: readonly BytePath[]): Promise<void> => {
    tell(joined(paths));
    await stored;
  };
}

function nestedRoot(prefix: BytePath, folder: string): { prefix: BytePath; workTree: string } {
  return { prefix, workTree: `${folder}/${shown(prefix.slice(0, -1))}` };
}

/** Whether the file says what git ignores. */
export function isIgnoreFile(path: BytePath): boolean {
  return path === '.gitignore' || path.endsWith('/.gitignore');
}

function indexName(prefix: BytePath): string {
  return prefix === '' ? 'index' : `index-${createHash('sha256').update(prefix, 'latin1').digest('hex').slice(0, 16)}`;
}

/** The path of the folder in the repository that has it, with a `/` at the end; empty for its root. */
export function prefixIn({ folder, workTree }: Pick<WorkFolder, 'folder' | 'workTree'>): string {
  const path = relative(workTree, folder).replaceAll('\\', '/');
  return path === '' ? '' : `${path}/`;
}

interface Sorted {
  readonly changed: readonly BytePath[];
  readonly dropped: readonly BytePath[];
  readonly nested: readonly BytePath[];
}

/** Sorts what differs from the index: new files come first. @param onUnkept called for a file that is not kept */
async function sort(listed: Buffer, folder: Buffer, onUnkept: (path: BytePath, stamp: string) => void): Promise<Sorted> {
  const changed = new Set<BytePath>();
  const dropped = new Set<BytePath>();
  const nested: BytePath[] = [];
  const appeared = new Set<BytePath>();
  const bare = bareRepositories(listed, folder);
  for await (const entry of sliced(entriesOf(listed))) {
    const [tag, path] = [entry[0], entry.slice(2)];
    if (bare.some((one) => path.startsWith(one))) continue;
    if (tag === 'R') {
      dropped.add(path);
      continue;
    }
    if (path.endsWith('/')) {
      nested.push(path);
      continue;
    }
    if (tag === '?') appeared.add(path);
    const facts = workFileFacts(Buffer.concat([folder, Buffer.from(path, 'latin1')]));
    if (facts === undefined || (tag === 'C' && foldersOf(path).some((one) => appeared.has(one)))) {
      // There is no such file, or there only seems to be one, beyond a link.
      if (tag === 'C') dropped.add(path);
    } else if (facts.isReadable && facts.sizeBytes <= keptBytes && !namesSecret(path)) changed.add(path);
    else {
      onUnkept(path, facts.stamp);
      if (tag === 'C') dropped.add(path);
    }
  }
  return { changed: [...changed], dropped: [...dropped], nested };
}

/**
 * The repositories without a work tree, as paths with a `/` at the end. They are git's own files: to take back what a commit wrote there would
 * damage the user's repository. None of their files is ever taken, so that all of them are listed each time.
 */
function bareRepositories(listed: Buffer, folder: Buffer): readonly BytePath[] {
  const found: BytePath[] = [];
  for (const entry of entriesOf(listed)) {
    const path = entry.slice(2);
    if (path !== 'HEAD' && !path.endsWith('/HEAD')) continue;
    const place = path.slice(0, -'HEAD'.length);
    const has = (name: string): boolean => isWorkFolder(Buffer.concat([folder, Buffer.from(place + name, 'latin1')]));
    if (entry.startsWith('?') && has('objects') && has('refs')) found.push(place);
  }
  return found;
}

/** Why a file of `Snapshot.unkept` is not kept. */
export function whyUnkept(path: BytePath, stamp: string): UnkeptReason {
  if (namesSecret(path)) return 'secret';
  return sizeInStamp(stamp) > keptBytes ? 'large' : 'unreadable';
}

function foldersOf(path: BytePath): readonly BytePath[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

function joined(paths: readonly BytePath[]): Buffer {
  return Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');
}
