/** What an agent changed before the state of its folder was known: it is taken from what its tool calls show, or said to be unknown. */
import { isUtf8 } from 'node:buffer';
import { sliced } from '../../node/sliced.js';
import { workFileFacts } from '../../node/workFiles.js';
import type { ShownEdit } from '../../session/changes.js';
import { type BytePath, entriesOf, type FileDifference, type FileVersion, shown } from './differences.js';
import { namesIn } from './rows.js';
import { clockMs, prefixIn, type Snapshot } from './snapshot.js';
import type { OpenedFolder } from './unfinished.js';

/** The files that may have been changed before they were recorded, each as it was recorded. */
export type EarlyFiles = ReadonlyMap<BytePath, FileVersion>;

/**
 * Call this right after the snapshot: later changes hide when a file was changed before.
 * @param since when the agent began, in milliseconds since the epoch
 * @throws HostError `changes_unknown`
 */
export async function changedBefore(opened: OpenedFolder, { trees }: Snapshot, since: number): Promise<EarlyFiles> {
  const { git, folder } = opened;
  const early = new Map<BytePath, FileVersion>();
  for (const [prefix, tree] of trees) {
    const within = prefix === '' ? prefixIn(opened) : '';
    const { stdout } = await git.run(['ls-tree', '-r', '-z', within === '' ? tree : `${tree}:${within.slice(0, -1)}`], {
      cwd: git.directory,
    });
    for await (const entry of sliced(entriesOf(stdout))) {
      const tab = entry.indexOf('\t');
      const [mode = '', , blob] = entry.slice(0, tab).split(' ');
      const path = prefix + entry.slice(tab + 1);
      const facts = workFileFacts(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')]));
      if (facts !== undefined && facts.changedAt >= since - clockMs) early.set(path, { mode, blob });
    }
  }
  return early;
}

export interface LateStart {
  readonly early: EarlyFiles;
  /** What the tool calls of the turn show, in order. */
  readonly edits: readonly ShownEdit[];
  /** The names of the folder; absolute. */
  readonly roots: readonly string[];
  /** Whether the change is the user's alone, as far as anybody knows. */
  isOnlyUsers(path: BytePath): boolean;
}

/** Replaces what the files were before by what they were when the agent began. @throws HostError `changes_unknown` */
export async function fromTheStart(
  { records }: OpenedFolder,
  differences: readonly FileDifference[],
  { early, edits, roots, isOnlyUsers }: LateStart,
): Promise<readonly FileDifference[]> {
  if (early.size === 0) return differences;
  const rest = new Map(early);
  const known: FileDifference[] = [];
  const others: FileDifference[] = [];
  const amend = async (file: FileDifference, recorded: FileVersion): Promise<void> => {
    const before = await earlierVersion(records, recorded, editsOf(file.from, edits, roots));
    // What is not seen to be different may still be: nobody knows.
    if (before === undefined) others.push({ ...file, before: { mode: recorded.mode, blob: undefined, why: 'unseen' } });
    else known.push({ ...file, before });
  };
  for (const file of differences) {
    const recorded = rest.get(file.from);
    rest.delete(file.from);
    if (recorded === undefined || file.before?.blob === undefined) others.push(file);
    else await amend(file, recorded);
  }
  for (const [path, recorded] of rest) {
    if (isOnlyUsers(path)) continue;
    await amend({ path, from: path, before: recorded, after: recorded, added: 0, removed: 0, isBinary: false }, recorded);
  }
  const counted = known.length === 0 ? [] : await records.compare(await records.store(known));
  return [...others, ...counted].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function editsOf(path: BytePath, edits: readonly ShownEdit[], roots: readonly string[]): readonly ShownEdit[] {
  const name = shown(path);
  return edits.filter((edit) => namesIn(roots, new Set([edit.path])).has(name));
}

async function earlierVersion(
  records: OpenedFolder['records'],
  { mode, blob }: FileVersion,
  edits: readonly ShownEdit[],
): Promise<FileVersion | undefined> {
  if (blob === undefined || edits.length === 0 || mode === '120000') return undefined;
  const bytes = await records.content(blob);
  const text = isUtf8(bytes) ? earlierText(bytes.toString('utf8'), edits) : undefined;
  return text === undefined ? undefined : { mode, blob: await records.storeContent(Buffer.from(text)) };
}

/**
 * Takes the first edits back, as many as were made by then.
 * @param edits in order; later ones may not be in the text yet
 * @returns undefined if that can't be said for sure
 */
export function earlierText(text: string, edits: readonly ShownEdit[]): string | undefined {
  for (let count = edits.length; count > 0; count--) {
    let earlier: string | undefined = text;
    for (const edit of edits.slice(0, count).reverse()) earlier = earlier === undefined ? undefined : withoutEdit(earlier, edit);
    if (earlier !== undefined) return earlier;
  }
  return undefined;
}

/** An edit without an old text says nothing about a file that may have been there, and one without a new text nothing about its place. */
function withoutEdit(text: string, { oldText, newText }: ShownEdit): string | undefined {
  if (oldText === undefined || oldText === null || oldText === '' || newText === '') return undefined;
  // Agents that read lines with other endings write them back as they were.
  const isWindows = text.includes('\r\n') && !/(^|[^\r])\n/.test(text);
  const [old, now] = [oldText, newText].map((part) => (isWindows ? part.replaceAll(/\r?\n/g, '\r\n') : part));
  if (old === undefined || now === undefined) return undefined;
  const at = text.indexOf(now);
  return at === -1 || text.includes(now, at + 1) ? undefined : text.slice(0, at) + old + text.slice(at + now.length);
}
