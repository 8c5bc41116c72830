/** What git says of the files that differ between two trees. */
import { sliced } from '../../node/sliced.js';
import type { UnkeptReason } from '../../session/changes.js';
import type { Git } from './git.js';

/** A path relative to the folder, with `/`. Each character is a byte, because names need not be UTF-8. */
export type BytePath = string;

/** A file on one side of a change. */
export interface FileVersion {
  readonly mode: string;
  /** Absent: the content is not kept. */
  readonly blob: string | undefined;
  /** Of one that is not kept. */
  readonly why?: UnkeptReason;
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

/** Why a change can't be taken back; undefined if both versions are kept. */
export function unkeptIn(versions: Pick<FileDifference, 'before' | 'after'>): UnkeptReason | undefined {
  const missing = [versions.before, versions.after].find((version) => version !== undefined && version.blob === undefined);
  return missing && (missing.why ?? 'unseen');
}

/** Every git knows it. */
export const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/**
 * @param within only files of this folder, which has a `/` at the end; their paths are relative to it
 * @throws HostError `changes_unknown`
 */
export async function compareTrees(git: Git, before: string, after: string, within = ''): Promise<readonly FileDifference[]> {
  return diffTree(git, [before, after], within, ['--numstat', '-M']);
}

/** The same without renames and counts, which need the contents. @throws HostError `changes_unknown` */
export async function compareNames(git: Git, before: string, after: string, within = ''): Promise<readonly FileDifference[]> {
  return diffTree(git, [before, after], within, []);
}

async function diffTree(git: Git, trees: readonly string[], within: string, more: readonly string[]): Promise<readonly FileDifference[]> {
  const options = ['-r', '-z', '--raw', '--no-abbrev', ...more, ...(within === '' ? [] : [`--relative=${within}`])];
  const { stdout } = await git.run(['diff-tree', ...options, ...trees], { cwd: git.directory });
  return parseDifferences(stdout);
}

/** Parses the output of `git diff-tree -z --raw --numstat`. */
export async function parseDifferences(output: Buffer): Promise<readonly FileDifference[]> {
  const fields = entriesOf(output);
  const next = (): string => String(fields.next().value ?? '');
  const files: FileDifference[] = [];
  const byPath = new Map<BytePath, number>();
  // Further fields of an entry are taken in between.
  for await (const field of sliced(fields)) {
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
    const [added = '', removed = ''] = field.split('\t', 2);
    const named = field.slice(added.length + removed.length + 2);
    const path = named === '' ? (next(), next()) : named;
    const at = byPath.get(path);
    const file = at === undefined ? undefined : files[at];
    if (at === undefined || file === undefined) continue;
    const isBinary = added === '-';
    files[at] = { ...file, added: isBinary ? 0 : Number(added), removed: isBinary ? 0 : Number(removed), isBinary };
  }
  return files;
}

/** Entries that end with NUL, each byte as a character. */
export function* entriesOf(output: Buffer): Generator<string> {
  let start = 0;
  for (let end = output.indexOf(0); end >= 0; end = output.indexOf(0, start)) {
    yield output.toString('latin1', start, end);
    start = end + 1;
  }
}

/** The path as text. Bytes that are not UTF-8 become U+FFFD. */
export function shown(path: BytePath): string {
  return Buffer.from(path, 'latin1').toString('utf8');
}
