import { dirname, isAbsolute, join } from 'node:path';
import { fileFacts, readText } from '../../node/files.js';
import { type BytePath, entriesOf } from './differences.js';
import type { Git } from './git.js';
import type { WorkFolder } from './snapshot.js';

export interface Repository {
  /** Absolute. */
  readonly workTree: string;
  /** Absolute; empty if its objects have other names. */
  readonly objects: readonly string[];
  /** Absolute. */
  readonly excludes: readonly string[];
  /** Absolute; empty if there is none. */
  readonly index: readonly string[];
}

/** Finds the repository that has the folder, by reading. Git itself would read its configuration. @param folder absolute */
export async function repositoryAround(folder: string): Promise<Repository | undefined> {
  for (let workTree = folder; ; workTree = dirname(workTree)) {
    const directory = await gitDirectory(workTree);
    if (directory !== undefined) {
      const common = await readLine(join(directory, 'commondir'));
      const shared = common === undefined ? directory : absoluteIn(directory, common);
      const config = (await readText(join(shared, 'config'), { limitBytes: 100_000 }).catch(() => undefined)) ?? '';
      const isOther = /objectformat\s*=\s*(?!sha1\b)/i.test(config);
      return {
        workTree,
        objects: isOther ? [] : await existing(join(shared, 'objects')),
        excludes: await existing(join(shared, 'info', 'exclude')),
        index: await existing(join(directory, 'index')),
      };
    }
    if (dirname(workTree) === workTree) return undefined;
  }
}

/** A worktree and a submodule have a file that names the folder. */
async function gitDirectory(workTree: string): Promise<string | undefined> {
  const path = join(workTree, '.git');
  if ((await existing(join(path, 'HEAD'))).length > 0) return path;
  const named = /^gitdir: (.+)$/.exec((await readLine(path)) ?? '')?.[1];
  return named === undefined ? undefined : (await existing(absoluteIn(workTree, named)))[0];
}

/** Whether the repository ignores the whole folder. @param git not that of the repository @throws HostError `changes_unknown` */
export async function isIgnored(git: Git, folder: string, { workTree, excludes }: Repository): Promise<boolean> {
  if (folder === workTree) return false;
  const more = excludes.flatMap((file) => ['-c', `core.excludesFile=${file}`]);
  const { code } = await git.run([...more, 'check-ignore', '--quiet', '--no-index', '--', folder], {
    cwd: workTree,
    workTree,
    accepts: [0, 1],
  });
  return code === 0;
}

/**
 * The files below the folder that the repository has although it ignores them, relative to the folder. None if its index can't be read
 * without its configuration.
 * @param git not that of the repository
 * @param of.exclude patterns of files that are never taken
 * @throws HostError `changes_unknown`
 */
export async function filesInSpite(
  git: Git,
  folder: string,
  { workTree, excludes, index, exclude }: Repository & Pick<WorkFolder, 'exclude'>,
): Promise<readonly BytePath[]> {
  const found: BytePath[] = [];
  for (const file of index) {
    const matching = async (patterns: readonly string[]): Promise<readonly BytePath[]> => {
      const call = { cwd: folder, workTree, index: file, accepts: [0, 128] };
      const { code, stdout } = await git.run(['ls-files', '-z', '-c', '-i', ...patterns], call);
      return code === 0 ? [...entriesOf(stdout)] : [];
    };
    const never = new Set(exclude.length === 0 ? [] : await matching(exclude.map((pattern) => `--exclude=${pattern}`)));
    const ignored = await matching(['--exclude-standard', ...excludes.map((one) => `--exclude-from=${one}`)]);
    for (const path of ignored) if (!never.has(path)) found.push(path);
  }
  return found;
}

function absoluteIn(folder: string, path: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}

/** @returns the path, if something is there */
async function existing(path: string): Promise<readonly string[]> {
  try {
    return (await fileFacts(path)) === undefined ? [] : [path];
  } catch {
    return [];
  }
}

async function readLine(path: string): Promise<string | undefined> {
  try {
    return (await readText(path, { limitBytes: 4_096 }))?.split('\n', 1)[0]?.trim();
  } catch {
    return undefined;
  }
}
