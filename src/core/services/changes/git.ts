import { devNull } from 'node:os';
import { join, resolve } from 'node:path';
import { HostError, systemFacts } from '../../base/errors.js';
import { listFiles, listFolders, removeFile, writePrivateFile } from '../../node/files.js';
import { resolveCommand } from '../../node/resolveCommand.js';
import { type FilterInput, runFilter } from '../../node/spawnProcess.js';

export interface GitCall {
  /** Absolute; the folder in which git runs. */
  readonly cwd: string;
  /** Absolute. */
  readonly workTree?: string;
  /** The name of the index in the repository, or the absolute path of another one, which is only read; absent: `index`. */
  readonly index?: string;
  readonly input?: FilterInput;
  readonly limitMs?: number;
  /** It stores many files. */
  readonly isLarge?: boolean;
  /** Exit codes that are results. Absent: only 0 is. */
  readonly accepts?: readonly number[];
}

export interface GitResult {
  readonly code: number;
  readonly stdout: Buffer;
}

const usualLimitMs = 60_000;
const outputLimitBytes = 256 * 1024 * 1024;

/** From git 2.39 on, all objects of one call are known to become one pack. Old versions make one for each. */
const packingMinor = 39;

/**
 * What the project says about git has no effect: no configuration of a user, a system or a folder is read, no hook and no filter runs, and
 * bytes are stored as they are. Only ignore files count.
 */
const settings: readonly string[] = [
  'core.autocrlf=false',
  'core.attributesFile=',
  `core.hooksPath=${devNull}`,
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.preloadIndex=true',
  'core.longpaths=true',
  // The names of the files are what the file system allows.
  ...(process.platform === 'win32' ? [] : ['core.protectNTFS=false', 'core.protectHFS=false']),
  'core.quotePath=false',
  'diff.renameLimit=1000',
  'gc.auto=0',
  'maintenance.auto=false',
  'protocol.allow=never',
  'user.name=ACP Host',
  'user.email=acp-host',
];

/** Precedes every attribute file of the project. */
const attributes = '* -text -eol -ident -filter -working-tree-encoding !diff !merge\n';

/** Folders that are made again by a tool, and would be most of a snapshot. Others are ignored where the project says so. */
const neverTaken = ['node_modules/', '.venv/', '__pycache__/', '.gradle/', '.next/', '.tox/', '.mypy_cache/', '.pytest_cache/'];

/** One repository of our own. Git runs in it, and never in a repository of the user. */
export class Git {
  /** Absolute. */
  readonly directory: string;
  /** The last tree of each index, so that an unchanged folder costs one process. */
  readonly trees = new Map<string, string>();
  readonly #file: string;
  /** Large calls make a pack, which takes a third of the time that as many files with a single object do, unless the objects exist. */
  #makesPacks = false;

  private constructor(file: string, directory: string) {
    this.#file = file;
    this.directory = directory;
  }

  /**
   * Creates the repository if it is missing, and removes locks of an engine that was killed.
   * @param directory absolute
   * @param o.alternates folders of objects that need not be stored again
   * @throws HostError `changes_unknown`
   */
  static async open(directory: string, o: { readonly alternates: readonly string[]; readonly limitMs: number }): Promise<Git> {
    const file = await resolveCommand('git', { env: process.env });
    if (file === undefined) throw new HostError('changes_unknown', { reason: 'no_git' });
    const git = new Git(file, directory);
    // Creates the folder, too.
    await writePrivateFile(join(directory, 'info', 'attributes'), attributes);
    await git.run(['init', '--quiet', '--bare', '--template=', directory], { cwd: directory, limitMs: o.limitMs });
    await git.unlock();
    await writePrivateFile(join(directory, 'objects', 'info', 'alternates'), o.alternates.map((path) => `${path}\n`).join(''));
    await writePrivateFile(join(directory, 'info', 'exclude'), `${neverTaken.join('\n')}\n`);
    if (o.alternates.length === 0) {
      const version = await git.text(['version'], { cwd: directory, limitMs: o.limitMs });
      const [, major = '', minor = ''] = /(\d+)\.(\d+)/.exec(version) ?? [];
      git.#makesPacks = Number(major) > 2 || (Number(major) === 2 && Number(minor) >= packingMinor);
    }
    return git;
  }

  /** Removes the locks of a git that was killed. No other process uses the repository. */
  async unlock(): Promise<void> {
    const changes = await listFolders(join(this.directory, 'refs', 'changes'));
    for (const folder of [this.directory, join(this.directory, 'refs', 'reviewed'), ...changes])
      for (const file of await listFiles(folder, '.lock')) await removeFile(file);
  }

  /** Forgets what it knows of files, so that all of them are read again. */
  async forget(): Promise<void> {
    for (const name of await listFiles(this.directory, '')) if (/[\\/]index[^\\/]*$/.test(name)) await removeFile(name);
    this.trees.clear();
  }

  /** @throws HostError `changes_unknown` */
  async run(args: readonly string[], call: GitCall): Promise<GitResult> {
    const { cwd, input = '', limitMs = usualLimitMs, accepts = [0], isLarge = false } = call;
    const env = this.#environment(call);
    const until = performance.now() + limitMs;
    // A git that is a script is ended with what it started.
    const all = isLarge && this.#makesPacks ? [...settings, 'core.bigFileThreshold=1'] : settings;
    const options = { file: this.#file, args: [...all.flatMap((one) => ['-c', one]), ...args], cwd, env, ownGroup: true };
    const { code, stdout, isCut, stderr } = await runFilter(options, input, { timeoutMs: limitMs, outputBytes: outputLimitBytes }).catch(
      (error: unknown) => {
        throw new HostError('changes_unknown', { reason: 'git_failed', ...systemFacts(error) }, { cause: error });
      },
    );
    if (code === null) {
      await this.unlock().catch(() => {});
      if (performance.now() >= until) throw new HostError('changes_unknown', { reason: 'too_slow' });
      // The system ends it if another program cuts a file that it reads.
      throw new HostError('changes_unknown', { reason: 'git_failed', detail: `git ${args[0]} was killed` });
    }
    if (!accepts.includes(code) || isCut)
      throw new HostError('changes_unknown', { reason: 'git_failed', detail: `git ${args[0]}: ${stderr.trim() || `exit code ${code}`}` });
    return { code, stdout };
  }

  async text(args: readonly string[], call: GitCall): Promise<string> {
    return (await this.run(args, call)).stdout.toString('utf8').trim();
  }

  #environment({ workTree, index = 'index' }: GitCall): NodeJS.ProcessEnv {
    const inherited = Object.entries(process.env).filter(([name]) => !name.toUpperCase().startsWith('GIT_'));
    return {
      ...Object.fromEntries(inherited),
      GIT_DIR: this.directory,
      GIT_INDEX_FILE: resolve(this.directory, index),
      ...(workTree !== undefined && { GIT_WORK_TREE: workTree }),
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: devNull,
      GIT_ATTR_NOSYSTEM: '1',
      GIT_NO_REPLACE_OBJECTS: '1',
      // Newer versions of git have other defaults.
      GIT_DEFAULT_HASH: 'sha1',
      GIT_DEFAULT_REF_FORMAT: 'files',
      GIT_TERMINAL_PROMPT: '0',
      LC_ALL: 'C',
    };
  }
}
