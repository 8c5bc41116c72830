import { createHash } from 'node:crypto';
import { dirname, isAbsolute, join } from 'node:path';
import { HostError, toHostError } from '../../base/errors.js';
import { fileFacts, readText, realPath } from '../../node/files.js';
import { isWithin } from '../../base/paths.js';
import { homeFolder } from '../../node/homeFolder.js';
import { Git } from './git.js';
import { ChangeRecords } from './records.js';
import { type Snapshot, takeSnapshot, type WorkFolder } from './snapshot.js';

/** How long a snapshot may take. */
const snapshotLimitMs = 30_000;
/** Where it takes longer, it is not tried again for a while. */
const slowPauseMs = 600_000;

export interface OpenedFolder extends WorkFolder {
  readonly records: ChangeRecords;
}

/** The snapshots of one folder, for all conversations that work in it. One thing is done at a time. */
export class FolderChanges {
  readonly #directory: string;
  readonly #path: string;
  #opened: Promise<OpenedFolder> | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #slow: { readonly error: HostError; readonly until: number } | undefined;
  /** The turns that run in the folder, each with those that ran at the same time. */
  readonly #running = new Map<string, Set<string>>();

  /** @param stateFolder absolute @param path absolute */
  constructor(stateFolder: string, path: string) {
    this.#path = path;
    this.#directory = join(changesFolder(stateFolder), createHash('sha256').update(path).digest('hex').slice(0, 32));
  }

  /** Whether anything was ever recorded. */
  async exists(): Promise<boolean> {
    return this.#opened !== undefined || (await fileFacts(join(this.#directory, 'HEAD'))) !== undefined;
  }

  /** Works with the repository while nobody else does. @throws HostError `changes_unknown`, and what the work throws */
  async exclusive<T>(work: (folder: OpenedFolder) => Promise<T>): Promise<T> {
    const turn = this.#queue.then(async () => work(await this.#open()));
    this.#queue = turn.catch(() => {});
    return turn;
  }

  /** @throws HostError `changes_unknown` */
  snapshot(): Promise<Snapshot> {
    return this.exclusive(async (folder) => {
      if (this.#slow !== undefined && performance.now() < this.#slow.until) throw this.#slow.error;
      try {
        return await takeSnapshot(folder, snapshotLimitMs);
      } catch (error) {
        const failure = toHostError(error);
        if (failure.params.reason === 'too_slow') this.#slow = { error: failure, until: performance.now() + slowPauseMs };
        // A broken index is made again. Whatever else failed fails again.
        if (failure.params.reason !== 'git_failed') throw failure;
        await folder.git.forget();
        return takeSnapshot(folder, snapshotLimitMs);
      }
    });
  }

  begin(turnId: string): void {
    const others = [...this.#running.keys()];
    this.#running.set(turnId, new Set(others));
    for (const other of others) this.#running.get(other)?.add(turnId);
  }

  /** @returns whether another turn ran at the same time */
  end(turnId: string): boolean {
    const others = this.#running.get(turnId);
    this.#running.delete(turnId);
    return others !== undefined && others.size > 0;
  }

  #open(): Promise<OpenedFolder> {
    const opened = (this.#opened ??= this.#create());
    // Git may be installed meanwhile, or the folder may be back.
    opened.catch(() => (this.#opened = undefined));
    return opened;
  }

  async #create(): Promise<OpenedFolder> {
    const folder = (await realPath(this.#path)) ?? this.#path;
    if (isWithin(folder, homeFolder())) throw new HostError('changes_unknown', { reason: 'folder_too_large' });
    const repository = await repositoryAround(folder);
    const git = await Git.open(this.#directory, { alternates: repository?.objects === undefined ? [] : [repository.objects] });
    const workTree = repository?.workTree ?? folder;
    return { git, folder, workTree, excludes: repository?.excludes ?? [], records: new ChangeRecords(git) };
  }
}

export function changesFolder(stateFolder: string): string {
  return join(stateFolder, 'changes');
}

interface Repository {
  /** Absolute. */
  readonly workTree: string;
  /** Absolute; absent if its objects have other names. */
  readonly objects: string | undefined;
  /** Absolute. */
  readonly excludes: readonly string[];
}

/** Finds the repository that has the folder, by reading. Git itself would read its configuration. */
async function repositoryAround(folder: string): Promise<Repository | undefined> {
  for (let workTree = folder; ; workTree = dirname(workTree)) {
    const directory = await gitDirectory(workTree);
    if (directory !== undefined) {
      const common = await readLine(join(directory, 'commondir'));
      const shared = common === undefined ? directory : absoluteIn(directory, common);
      const config = (await readText(join(shared, 'config'), { limitBytes: 100_000 }).catch(() => undefined)) ?? '';
      const exclude = join(shared, 'info', 'exclude');
      return {
        workTree,
        objects: /objectformat\s*=\s*(?!sha1\b)/i.test(config) ? undefined : await existing(join(shared, 'objects')),
        excludes: (await existing(exclude)) === undefined ? [] : [exclude],
      };
    }
    if (dirname(workTree) === workTree) return undefined;
  }
}

/** A worktree and a submodule have a file that names the folder. */
async function gitDirectory(workTree: string): Promise<string | undefined> {
  const path = join(workTree, '.git');
  if ((await existing(join(path, 'HEAD'))) !== undefined) return path;
  const named = /^gitdir: (.+)$/.exec((await readLine(path)) ?? '')?.[1];
  return named === undefined ? undefined : existing(absoluteIn(workTree, named));
}

function absoluteIn(folder: string, path: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}

async function existing(path: string): Promise<string | undefined> {
  try {
    return (await fileFacts(path)) === undefined ? undefined : path;
  } catch {
    return undefined;
  }
}

async function readLine(path: string): Promise<string | undefined> {
  try {
    return (await readText(path, { limitBytes: 4_096 }))?.split('\n', 1)[0]?.trim();
  } catch {
    return undefined;
  }
}
