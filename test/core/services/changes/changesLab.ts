/** A folder in which conversations work, with a state folder that records what their turns change. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, lstat, mkdtemp, readdir, readFile, readlink, realpath, rm } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { ConversationChanges } from '../../../../src/core/services/changes/conversationChanges.js';
import { FolderChanges } from '../../../../src/core/services/changes/folderChanges.js';
import type { EditorTexts } from '../../../../src/core/services/changes/workingFiles.js';
import type { ChangedFile, ChangeSet, ShownEdit, UndoResult } from '../../../../src/core/session/changes.js';

export const noEditor: EditorTexts = { unsaved: () => Promise.resolve({}), edit: () => Promise.resolve([]) };

/** What tool calls of a turn say. */
export interface Named {
  readonly named?: readonly string[];
  readonly edits?: readonly ShownEdit[];
}

export interface Worker {
  readonly changes: ConversationChanges;
  /** Runs a turn that does the work. @returns what was recorded; undefined if nothing was */
  turn(work: () => Promise<void> | void, o?: Named): Promise<ChangeSet | undefined>;
  /** Undoes these change sets; the last one of a turn if none is named. */
  undo(ids?: readonly string[], paths?: readonly string[]): Promise<UndoResult>;
}

export interface ChangesLab {
  readonly folder: string;
  readonly stateFolder: string;
  /** What is recorded of the folder, in one repository. */
  readonly recorded: FolderChanges;
  /** A conversation. @param cwd the folder, under another name */
  worker(o?: { readonly id?: string; readonly editor?: EditorTexts; readonly cwd?: string; readonly waitMs?: number }): Worker;
  /** The folder of our repository. */
  repository(): Promise<string>;
}

export interface LabOptions {
  /** The folder of the conversations below the one that is prepared. */
  readonly below?: string;
  readonly prepare?: (folder: string) => Promise<void> | void;
  readonly snapshotLimitMs?: number;
  readonly filesStoredAtOnce?: number;
  readonly limitBytes?: number;
  readonly exclude?: readonly string[];
}

export async function changesLab(t: Pick<TestContext, 'after'>, o: LabOptions = {}): Promise<ChangesLab> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'acp-host-changes-')));
  const work = path.join(root, 'work');
  await mkdir(work);
  await o.prepare?.(work);
  const folder = path.join(work, o.below ?? '');
  const stateFolder = path.join(root, 'state');
  const { snapshotLimitMs, filesStoredAtOnce, limitBytes, exclude } = o;
  const recorded = new FolderChanges(stateFolder, folder, {
    ...(snapshotLimitMs !== undefined && { snapshotLimitMs }),
    ...(filesStoredAtOnce !== undefined && { filesStoredAtOnce }),
    ...(limitBytes !== undefined && { limitBytes }),
    ...(exclude !== undefined && { exclude }),
  });
  t.after(async () => {
    await recorded.settled();
    await rm(root, { recursive: true, force: true });
  });
  let count = 0;
  return {
    folder,
    stateFolder,
    recorded,
    worker({ id = `c${++count}`, editor = noEditor, cwd = folder, waitMs = 60_000 } = {}) {
      return workerOf(new ConversationChanges({ id, cwd, folder: recorded, editor, waitMs }));
    },
    async repository() {
      const all = await readdir(path.join(stateFolder, 'changes'));
      assert.equal(all.length, 1);
      return path.join(stateFolder, 'changes', all[0] ?? '');
    },
  };
}

function workerOf(changes: ConversationChanges): Worker {
  return {
    changes,
    async turn(work, { named = [], edits = [] } = {}) {
      const turnId = randomUUID();
      await changes.begin(turnId);
      await work();
      await changes.end(turnId, new Set([...named, ...edits.map((edit) => edit.path)]), edits);
      return changes.sets.find((set) => set.id === turnId);
    },
    undo(ids, paths) {
      const last = changes.sets.findLast(({ kind }) => kind === 'turn');
      return changes.undo({ ids: ids ?? [last?.id ?? 'none'], paths });
    },
  };
}

/** Git as a user runs it, in a repository of theirs. */
export function git(cwd: string, ...args: readonly string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1' };
  const who = ['-c', 'user.name=User', '-c', 'user.email=user@example.org', '-c', 'protocol.file.allow=always', '-c', 'gc.auto=0'];
  return execFileSync('git', [...who, ...args], { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

export function commitAll(folder: string, message = 'all'): void {
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--allow-empty', '--no-verify', '-m', message);
}

/** A file as a user sees it. */
export interface SeenFile {
  readonly mode: 'file' | 'program' | 'link';
  /** A character for each byte; of a link, where it leads. */
  readonly content: string;
}

/** All files, also hidden ones, by their paths, of which each character is a byte. @param leavesOut names of folders */
export async function filesIn(folder: string, leavesOut: readonly string[] = ['.git']): Promise<ReadonlyMap<string, SeenFile>> {
  const files = new Map<string, SeenFile>();
  const walk = async (prefix: string): Promise<void> => {
    for (const entry of await readdir(onDisk(folder, prefix), { withFileTypes: true, encoding: 'buffer' })) {
      const name = prefix + entry.name.toString('latin1');
      if (!entry.isDirectory()) files.set(name, await seenFile(onDisk(folder, name)));
      else if (!leavesOut.includes(entry.name.toString('latin1'))) await walk(`${name}/`);
    }
  };
  await walk('');
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function seenFile(file: Buffer): Promise<SeenFile> {
  const facts = await lstat(file);
  if (facts.isSymbolicLink()) return { mode: 'link', content: (await readlink(file, { encoding: 'buffer' })).toString('latin1') };
  const content = facts.isFile() ? (await readFile(file)).toString('latin1') : '';
  return { mode: (facts.mode & 0o100) === 0 ? 'file' : 'program', content };
}

/** @param name with a character for each byte */
export function onDisk(folder: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')]);
}

/** Changes if a name, a mode or a byte in the folder does. */
export async function hashOf(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const [name, { mode, content }] of await filesIn(folder, [])) hash.update(JSON.stringify([name, mode, content]));
  return hash.digest('hex');
}

/** The rows of a change set, short: `modified a.txt`, `renamed b.txt from a.txt`. */
export function rows(set: { readonly files: readonly ChangedFile[] } | undefined): readonly string[] {
  return (set?.files ?? []).map(({ status, path: name, from }) => `${status} ${name}${from === undefined ? '' : ` from ${from}`}`);
}

/** Why the platform can't have what the test needs. */
export const posixOnly = process.platform === 'win32' ? 'Windows has no such names, modes or files' : false;
