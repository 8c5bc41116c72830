import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { workFileFacts } from '../../node/workFiles.js';
import type { Git, GitCall } from './git.js';

/** A path relative to the folder, with `/`. Each character is a byte, because names need not be UTF-8. */
export type BytePath = string;

/** All files of a folder at one time. */
export interface Snapshot {
  /** The tree of the folder, and of each repository in it, by its path with a `/` at the end; that of the folder itself is empty. */
  readonly trees: ReadonlyMap<BytePath, string>;
  /** Files whose content is not kept, with what the file system says of them. */
  readonly unkept: ReadonlyMap<BytePath, string>;
}

/** A file on one side of a change. */
export interface FileVersion {
  readonly mode: string;
  /** Absent: the content is not kept. */
  readonly blob: string | undefined;
}

/** One file of a comparison. A renamed file has another path before. */
export interface FileDifference {
  readonly path: BytePath;
  readonly from: BytePath;
  readonly before: FileVersion | undefined;
  readonly after: FileVersion | undefined;
  readonly added: number;
  readonly removed: number;
  readonly isBinary: boolean;
}

/** Larger files are compared, and not kept. */
const keptBytes = 5 * 1024 * 1024;
/** Repositories inside of the folder, also inside of one another. */
const maxNested = 50;
/** How many files are looked at before others may run. */
const filesAtOnce = 500;

const secretName =
  /^(?:\.env(?!\.(?:example|sample|template|dist)$)(?:\..+)?|id_(?:rsa|dsa|ecdsa|ed25519)|\.(?:netrc|npmrc|pypirc|git-credentials)|credentials(?:\.json)?|.+\.(?:pem|key|p12|pfx|jks|keystore))$/i;

export interface WorkFolder {
  readonly git: Git;
  /** Absolute. */
  readonly folder: string;
  /** Absolute: the root of the repository that has the folder, whose ignore files count, or the folder. */
  readonly workTree: string;
  /** Absolute paths of more files with patterns of ignored files. */
  readonly excludes: readonly string[];
}

/** @throws HostError `changes_unknown` */
export async function takeSnapshot({ git, folder, workTree, excludes }: WorkFolder, limitMs: number): Promise<Snapshot> {
  const until = performance.now() + limitMs;
  const trees = new Map<BytePath, string>();
  const unkept = new Map<BytePath, string>();
  const roots: { prefix: BytePath; workTree: string }[] = [{ prefix: '', workTree }];
  for (let root = roots.shift(); root !== undefined; root = roots.shift()) {
    const { prefix } = root;
    const cwd = prefix === '' ? folder : root.workTree;
    const call: GitCall = { cwd, workTree: root.workTree, index: indexName(prefix), limitMs: Math.max(1, until - performance.now()) };
    const patterns = prefix === '' ? excludes.map((file) => `--exclude-from=${file}`) : [];
    const { stdout } = await git.run(['ls-files', '-t', '-z', '-m', '-d', '-o', '--exclude-standard', ...patterns], call);
    const { changed, dropped, nested } = await sort(stdout, Buffer.from(`${cwd}/`), (path, stamp) => unkept.set(prefix + path, stamp));
    for (const path of nested) if (trees.size + roots.length < maxNested) roots.push(nestedRoot(prefix + path, folder));
    if (changed.length > 0)
      await git.run(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], { ...call, input: joined(changed) });
    if (dropped.length > 0) await git.run(['update-index', '-z', '--force-remove', '--stdin'], { ...call, input: joined(dropped) });
    const within = prefix === '' ? prefixIn(folder, workTree) : '';
    trees.set(prefix, await writeTree(git, call, within, changed.length + dropped.length > 0));
  }
  return { trees, unkept };
}

function nestedRoot(prefix: BytePath, folder: string): { prefix: BytePath; workTree: string } {
  return { prefix, workTree: `${folder}/${shown(prefix.slice(0, -1))}` };
}

function indexName(prefix: BytePath): string {
  return prefix === '' ? 'index' : `index-${createHash('sha256').update(prefix, 'latin1').digest('hex').slice(0, 16)}`;
}

async function writeTree(git: Git, call: GitCall, within: string, hasChanged: boolean): Promise<string> {
  const key = call.index ?? 'index';
  const last = git.trees.get(key);
  if (!hasChanged && last !== undefined) return last;
  // An index without a file below the folder has no tree of it.
  const { code, stdout } = await git.run(['write-tree', ...(within === '' ? [] : [`--prefix=${within}`])], { ...call, accepts: [0, 128] });
  const tree = code === 0 ? stdout.toString('latin1').trim() : emptyTree;
  git.trees.set(key, tree);
  return tree;
}

/** Every git knows it. */
export const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** The path of the folder in the repository that has it, with a `/` at the end; empty for its root. */
function prefixIn(folder: string, workTree: string): string {
  const path = relative(workTree, folder).replaceAll('\\', '/');
  return path === '' ? '' : `${path}/`;
}

/** Sorts what differs from the index. @param onUnkept called for a file that is not kept */
async function sort(
  listed: Buffer,
  folder: Buffer,
  onUnkept: (path: BytePath, stamp: string) => void,
): Promise<{ readonly changed: readonly BytePath[]; readonly dropped: readonly BytePath[]; readonly nested: readonly BytePath[] }> {
  const changed = new Set<BytePath>();
  const dropped: BytePath[] = [];
  const nested: BytePath[] = [];
  let looked = 0;
  for (const entry of entriesOf(listed)) {
    const [tag, path] = [entry[0], entry.slice(2)];
    if (tag === 'R') {
      changed.add(path);
      continue;
    }
    if (path.endsWith('/')) {
      nested.push(path);
      continue;
    }
    if (++looked % filesAtOnce === 0) await setImmediate();
    const facts = workFileFacts(Buffer.concat([folder, Buffer.from(path, 'latin1')]));
    if (facts === undefined || (facts.isReadable && facts.sizeBytes <= keptBytes && !hasSecrets(path))) changed.add(path);
    else {
      onUnkept(path, facts.stamp);
      if (tag === 'C') dropped.push(path);
    }
  }
  return { changed: [...changed], dropped, nested };
}

function hasSecrets(path: BytePath): boolean {
  return secretName.test(path.slice(path.lastIndexOf('/') + 1));
}

/** @returns the files that differ, in the order of their paths @throws HostError `changes_unknown` */
export async function compareSnapshots(git: Git, cwd: string, before: Snapshot, after: Snapshot): Promise<readonly FileDifference[]> {
  const differences: FileDifference[] = [];
  for (const prefix of new Set([...before.trees.keys(), ...after.trees.keys()])) {
    const [one, other] = [before.trees.get(prefix) ?? emptyTree, after.trees.get(prefix) ?? emptyTree];
    if (one === other) continue;
    const found = await compareTrees(git, cwd, one, other);
    // An added or removed repository is not the work of a turn on its files, unless they were written there.
    differences.push(...found.map((file) => ({ ...file, path: prefix + file.path, from: prefix + file.from })));
  }
  return withUnkept(differences, before.unkept, after.unkept).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Adds the files whose content is not kept on at least one side. */
function withUnkept(kept: readonly FileDifference[], before: Snapshot['unkept'], after: Snapshot['unkept']): FileDifference[] {
  const byPath = new Map(kept.map((file) => [file.path, file]));
  const side = (stamp: string | undefined): FileVersion | undefined =>
    stamp === undefined ? undefined : { mode: '100644', blob: undefined };
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [one, other] = [before.get(path), after.get(path)];
    if (one === other) continue;
    const known = byPath.get(path);
    byPath.set(path, {
      path,
      from: path,
      before: side(one) ?? known?.before,
      after: side(other) ?? known?.after,
      added: 0,
      removed: 0,
      isBinary: false,
    });
  }
  return [...byPath.values()];
}

/** @throws HostError `changes_unknown` */
export async function compareTrees(git: Git, cwd: string, before: string, after: string): Promise<readonly FileDifference[]> {
  const { stdout } = await git.run(['diff-tree', '-r', '-z', '--raw', '--numstat', '--no-abbrev', '-M', before, after], { cwd });
  return parseDifferences(stdout);
}

/** Parses the output of `git diff-tree -z --raw --numstat`. */
export function parseDifferences(output: Buffer): readonly FileDifference[] {
  const fields = entriesOf(output)[Symbol.iterator]();
  const next = (): string => String(fields.next().value ?? '');
  const files: FileDifference[] = [];
  const byPath = new Map<BytePath, number>();
  for (let field = next(); field !== ''; field = next()) {
    if (field.startsWith(':')) {
      const [modeBefore = '', modeAfter = '', blobBefore, blobAfter, status = ''] = field.slice(1).split(' ');
      const from = next();
      const path = /^[RC]/.test(status) ? next() : from;
      byPath.set(path, files.length);
      files.push({
        path,
        from,
        before: /^0+$/.test(modeBefore) ? undefined : { mode: modeBefore, blob: blobBefore },
        after: /^0+$/.test(modeAfter) ? undefined : { mode: modeAfter, blob: blobAfter },
        added: 0,
        removed: 0,
        isBinary: false,
      });
      continue;
    }
    const [added = '', removed = '', only = ''] = field.split('\t');
    const path = only === '' ? (next(), next()) : field.slice(added.length + removed.length + 2);
    const at = byPath.get(path);
    const file = at === undefined ? undefined : files[at];
    if (at === undefined || file === undefined) continue;
    const isBinary = added === '-';
    files[at] = { ...file, added: isBinary ? 0 : Number(added), removed: isBinary ? 0 : Number(removed), isBinary };
  }
  return files;
}

/** Entries that end with NUL, each byte as a character. */
function* entriesOf(output: Buffer): Generator<string> {
  let start = 0;
  for (let end = output.indexOf(0); end >= 0; end = output.indexOf(0, start)) {
    yield output.toString('latin1', start, end);
    start = end + 1;
  }
}

function joined(paths: readonly BytePath[]): Buffer {
  return Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');
}

/** The path as text. Bytes that are not UTF-8 become U+FFFD. */
export function shown(path: BytePath): string {
  return Buffer.from(path, 'latin1').toString('utf8');
}
