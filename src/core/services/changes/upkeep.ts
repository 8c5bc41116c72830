/** Keeps the repositories of folders small. */
import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import { fileFacts, listFiles, listFolders, moveFolder, readText, removeFile, removeFolder } from '../../node/files.js';
import type { Git } from './git.js';
import { recordPacks, type SavedChanges } from './records.js';

/** What is recorded of one folder may need this much, unless the user says otherwise. */
export const changesLimitBytes = 1024 * 1024 * 1024;

/** More packs slow every git down. */
const maxPacks = 50;
/** So many files with a single object are better packed; git itself waits for that many. */
const maxLooseObjects = 6_700;
/** What the packs of the current state of the folder are called in the repository, before a `-`. */
const folderPacks = 'objects/pack/folder';
/** Whoever stores an object right now may need it although nothing leads to it yet. */
const prunedAge = '1.hour.ago';
/** Packing a gigabyte takes minutes, and so does removing a hundred thousand files. */
const packLimitMs = 600_000;
/** How long a repository without change sets is of use, because the next snapshot is made sooner. */
const unusedMs = 7 * 24 * 3_600_000;
/** The names of repositories that are being removed. */
const removedEnding = '.removed';

/** Whether packing saves time or space. */
export async function needsUpkeep({ directory }: Git, limitBytes: number): Promise<boolean> {
  const packs = await listFiles(join(directory, 'objects', 'pack'), '.pack');
  // A sample, as git itself takes it.
  const loose = 256 * (await listFiles(join(directory, 'objects', '17'), '')).length;
  const bytes = await sizeOf(packs.filter((pack) => basename(pack).startsWith(`${basename(recordPacks)}-`)));
  return packs.length > maxPacks || loose > maxLooseObjects || bytes > limitBytes;
}

export interface Packed {
  readonly kept: readonly SavedChanges[];
  /** Change sets for which there is no space. */
  readonly dropped: readonly SavedChanges[];
  /** Absolute paths of the files; everything that is needed is in them, or is no older than an hour. */
  readonly packs: readonly string[];
}

/**
 * Packs anew what is needed, and changes nothing else. The newest change set is kept, however large it is.
 * @param saved the oldest first
 * @param trees of the current state of the folder
 * @throws HostError `changes_unknown`
 */
export async function pack(git: Git, saved: readonly SavedChanges[], trees: Iterable<string>, limitBytes: number): Promise<Packed> {
  let kept = saved;
  let packs = await packObjects(
    git,
    recordPacks,
    kept.map(({ commit }) => commit),
  );
  for (let bytes = await sizeOf(packs); bytes > limitBytes && kept.length > 1; bytes = await sizeOf(packs)) {
    const excess = Math.ceil((kept.length * (bytes - limitBytes)) / bytes);
    kept = kept.slice(Math.min(excess, kept.length - 1));
    await removePacks(packs);
    packs = await packObjects(
      git,
      recordPacks,
      kept.map(({ commit }) => commit),
    );
  }
  // What the project has is not copied for them.
  const current = await packObjects(git, folderPacks, trees, ['--local']);
  return { kept, dropped: saved.slice(0, saved.length - kept.length), packs: [...packs, ...current] };
}

/** Removes all packs but these. */
export async function removeOtherPacks({ directory }: Git, packs: readonly string[]): Promise<void> {
  const all = await listFiles(join(directory, 'objects', 'pack'), '.pack');
  await removePacks(all.filter((one) => !packs.includes(one)));
}

export async function removePacks(packs: readonly string[]): Promise<void> {
  for (const one of packs) {
    const stem = one.slice(0, -'.pack'.length);
    // Without its index, nobody begins to use the pack.
    for (const ending of ['.idx', '.rev', '.pack']) await removeFile(stem + ending);
  }
}

/** Removes single objects that nothing leads to any more. @throws HostError `changes_unknown` */
export async function prune(git: Git): Promise<void> {
  await git.run(['prune', `--expire=${prunedAge}`], { cwd: git.directory, limitMs: packLimitMs });
}

/**
 * Removes the repositories that have no change sets and were not used for a week. Resolves when they have other names; that their files are
 * removed takes longer. Nobody may use one meanwhile.
 * @param folder absolute; has the repositories of all folders
 */
export async function removeUnused(folder: string): Promise<void> {
  const removed: string[] = [];
  for (const directory of await listFolders(folder)) {
    const other = `${directory}${removedEnding}`;
    if (directory.endsWith(removedEnding)) removed.push(directory);
    else if (await isUnused(directory)) {
      // Something may be left of an earlier one, and is removed now.
      await moveFolder(directory, other).catch(() => {});
      removed.push(other);
    }
  }
  // What is left over when the engine ends is found the next time.
  void Promise.all(removed.map(removeFolder)).catch(() => {});
}

async function isUnused(directory: string): Promise<boolean> {
  // It is written whenever the repository is opened.
  const used = await fileFacts(join(directory, 'info', 'exclude'));
  return (used === undefined || used.modifiedAt < Date.now() - unusedMs) && !(await hasRecords(directory));
}

async function hasRecords(directory: string): Promise<boolean> {
  const packed = await readText(join(directory, 'packed-refs'));
  if (packed?.includes(' refs/changes/') === true) return true;
  for (const folder of await listFolders(join(directory, 'refs', 'changes'))) if ((await listFiles(folder, '')).length > 0) return true;
  return false;
}

/** @returns a new pack; none if there is nothing to pack @throws HostError `changes_unknown` */
async function packObjects(git: Git, prefix: string, roots: Iterable<string>, options: readonly string[] = []): Promise<readonly string[]> {
  // Git names a pack by what it has, so one with the same may be there, which must not be removed with this one.
  const name = `${prefix}-${randomUUID()}`;
  const input = [...roots].map((root) => `${root}\n`).join('');
  // On one core, because nobody waits for it.
  const args = ['pack-objects', '--quiet', '--revs', '--non-empty', '--threads=1', ...options, name];
  const hash = await git.text(args, { cwd: git.directory, input, limitMs: packLimitMs });
  return hash === '' ? [] : [join(git.directory, `${name}-${hash}.pack`)];
}

async function sizeOf(files: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const file of files) bytes += (await fileFacts(file))?.sizeBytes ?? 0;
  return bytes;
}
