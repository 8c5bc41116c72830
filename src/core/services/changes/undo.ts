/** Decides how files look when changes are taken back, without touching one. */
import { isUtf8 } from 'node:buffer';
import type { LeftFile } from '../../session/changes.js';
import type { FileMode, WorkFile } from '../../node/workFiles.js';
import { type BytePath, type FileDifference, type FileVersion, shown } from './snapshot.js';

/** What one change set did to one file. */
export interface FileChange {
  readonly path: BytePath;
  readonly before: FileVersion | undefined;
  readonly after: FileVersion | undefined;
}

export interface UndoSources {
  /** What is there now: unsaved text first. `other` is no file. */
  current(path: BytePath): Promise<WorkFile | 'other' | undefined>;
  /** @throws HostError `changes_unknown` */
  content(blob: string): Promise<Buffer>;
  /** Whether the bytes are the blob. */
  isBlob(bytes: Buffer, blob: string): boolean;
  /** Merges two versions of a text with a common earlier one. @returns undefined if both changed the same lines */
  merge(texts: { readonly base: Buffer; readonly one: Buffer; readonly other: Buffer }): Promise<Buffer | undefined>;
}

export interface UndoPlan {
  /** By path: how the file is to be; undefined: there is none. Only files that differ from that. */
  readonly files: ReadonlyMap<BytePath, WorkFile | undefined>;
  /** The files that are as before then, also those that already were. */
  readonly undone: readonly BytePath[];
  readonly left: readonly LeftFile[];
}

/** A renamed file is one that is removed and another one that is added. */
export function changesOf(difference: FileDifference): readonly FileChange[] {
  const { path, from, before, after } = difference;
  if (path === from) return [{ path, before, after }];
  return [
    { path: from, before, after: undefined },
    { path, before: undefined, after },
  ];
}

/**
 * @param changes of one change set after the other, the newest first
 * @param mayTake false for a file that the user may have changed, and that was not named
 * @throws HostError `changes_unknown`
 */
export async function planUndo(
  changes: readonly FileChange[],
  sources: UndoSources,
  mayTake: (path: BytePath) => boolean = () => true,
): Promise<UndoPlan> {
  const files = new Map<BytePath, WorkFile | undefined>();
  const undone = new Set<BytePath>();
  const left = new Map<BytePath, LeftFile>();
  for (const change of changes) {
    const { path } = change;
    // What a newer change did to the file stays, so nothing older can be taken back below it.
    if (left.has(path)) continue;
    const now = files.has(path) ? files.get(path) : await sources.current(path);
    const step = mayTake(path) ? await takeBack(change, now, sources) : ({ why: 'also_user' } as const);
    if ('why' in step) {
      left.set(path, { path: shown(path), why: step.why });
      undone.delete(path);
      continue;
    }
    undone.add(path);
    if (step.to !== now) files.set(path, step.to);
  }
  return { files, undone: [...undone], left: [...left.values()] };
}

type Step = { readonly to: WorkFile | undefined } | { readonly why: LeftFile['why'] };

async function takeBack({ before, after }: FileChange, now: WorkFile | 'other' | undefined, sources: UndoSources): Promise<Step> {
  if (now === 'other') return { why: 'changed' };
  if (isVersion(now, before, sources)) return { to: now };
  if ((before !== undefined && before.blob === undefined) || (after !== undefined && after.blob === undefined)) return { why: 'unkept' };
  const earlier = before?.blob === undefined ? undefined : { mode: modeOf(before.mode), bytes: await sources.content(before.blob) };
  if (isVersion(now, after, sources)) return { to: earlier };
  // The user has changed it since. A file that was added or removed can't be merged.
  if (now === undefined || earlier === undefined || after?.blob === undefined) return { why: 'changed' };
  const base = await sources.content(after.blob);
  if (now.mode === '120000' || earlier.mode === '120000' || ![base, now.bytes, earlier.bytes].every(isText)) return { why: 'changed' };
  const bytes = await sources.merge({ base, one: now.bytes, other: earlier.bytes });
  return bytes === undefined ? { why: 'changed' } : { to: { mode: now.mode === modeOf(after.mode) ? earlier.mode : now.mode, bytes } };
}

function isVersion(file: WorkFile | undefined, version: FileVersion | undefined, { isBlob }: UndoSources): boolean {
  if (file === undefined || version === undefined) return file === version;
  return version.blob !== undefined && file.mode === version.mode && isBlob(file.bytes, version.blob);
}

function modeOf(mode: string): FileMode {
  return mode === '100755' || mode === '120000' ? mode : '100644';
}

function isText(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}
