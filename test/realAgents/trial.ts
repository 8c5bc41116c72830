/** One case with one agent: a separate home and working folder, and the command line that drives the agent there. */
import { mkdir, mkdtemp, readdir, readFile, rm, watch, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { EventLine } from '../../src/cli/output/eventSchema.js';
import { type CliResult, CliProcess, eventsOf, runCli } from '../cli/cliProcess.js';
import { minimalEnv } from '../real/launch.js';
import { type RealAgent, type Setup } from './catalog.js';
import { node22 } from './install.js';
import { openTrialEngine, type TrialEngine } from './engine.js';
import { files, promptFor } from './model/script.js';
import type { ScriptedModel } from './model/server.js';
import { type EngineWatch, watchEngine } from './traffic.js';

export interface TrialRun extends CliResult {
  readonly events: readonly EventLine[];
}

export interface Trial {
  readonly agent: RealAgent;
  readonly model: ScriptedModel;
  /** The folder in which the agent works. */
  readonly cwd: string;
  /** @returns what the scripted model recognizes */
  prompt(name: string): string;
  /** Runs in the agent's `askMode`. */
  run(args: readonly string[], name: string): Promise<TrialRun>;
  /** Runs in the mode in which the agent starts. */
  runAsIs(args: readonly string[], name: string): Promise<TrialRun>;
  /** Another command of the command line, for this agent. */
  command(args: readonly string[]): Promise<CliResult>;
  /** A chat with JSON lines in both directions. It ends with the trial. */
  chat(args: readonly string[]): CliProcess;
  /** Watches what the host and the agent say to each other while a chat is open. */
  watch(): Promise<EngineWatch>;
  /** Opens an engine in this process, with a front end that does what the editor does. It has a state of its own. */
  openEngine(): Promise<TrialEngine>;
  /** An absolute path for another folder of saved sessions. */
  readonly elsewhere: string;
  /** A command about a conversation of this trial. */
  ofConversation(args: readonly string[]): Promise<CliResult>;
  /** @returns the content of each file in the folder, by its path in it with `/`, each byte as a character; without hidden folders, where agents keep what git ignores */
  everything(): Promise<ReadonlyMap<string, string>>;
  /** Writes a file in the folder. */
  write(name: string, content: string): Promise<void>;
  /** @returns the content of a file in the folder; undefined if there is none */
  read(name: string): Promise<string | undefined>;
  /**
   * Resolves when the file is in the folder.
   * @throws after a minute
   */
  appears(name: string): Promise<void>;
  end(): Promise<void>;
}

export interface TrialOptions {
  readonly agent: RealAgent;
  /** As `find` returned it. */
  readonly folder: string;
  readonly model: ScriptedModel;
  readonly withoutKey?: boolean;
}

export async function startTrial({ agent, folder, model, withoutKey = false }: TrialOptions): Promise<Trial> {
  const root = await mkdtemp(path.join(tmpdir(), 'acp-host-agent-'));
  const [home, workspace] = [path.join(root, 'home'), path.join(root, 'work')];
  await Promise.all([mkdir(home), mkdir(workspace)]);
  const setup = agent.setup({ model: model.origin, home, folder, node22 });
  await writeFile(path.join(workspace, files.existing), files.before);
  for (const [name, content] of Object.entries(setup.files ?? {})) {
    const file = path.join(home, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  const place = { workspace, env: environment(home, setup, withoutKey ? agent.keys : []), remove: async () => {} };
  const start = ['--command', setup.command.map((word) => `"${word}"`).join(' ')];
  const running: CliProcess[] = [];
  const engines: TrialEngine[] = [];
  const asking = agent.askMode === undefined ? [] : ['--mode', agent.askMode];
  const modeFor = (args: readonly string[]): readonly string[] => (args.includes('--mode') ? [] : asking);
  const runAsIs: Trial['runAsIs'] = async (args, name) => {
    const result = await runCli(place, ['run', ...start, '--format', 'json', ...args, prompt(name)]);
    return { ...result, events: eventsOf(result.stdout) };
  };
  const prompt = (name: string): string => promptFor(name, workspace);
  return {
    agent,
    model,
    cwd: workspace,
    prompt,
    run: (args, name) => runAsIs([...modeFor(args), ...args], name),
    runAsIs,
    command: ([name = '', ...args]) => runCli(place, [name, ...start, ...args]),
    chat(args) {
      const cli = new CliProcess(place, ['chat', ...start, '--format', 'json', ...modeFor(args), ...args]);
      running.push(cli);
      return cli;
    },
    elsewhere: path.join(home, 'elsewhere'),
    watch: () => watchEngine(place.env['ACP_HOST_STATE'] ?? '', place.env),
    async openEngine() {
      const engine = await openTrialEngine(path.join(home, 'editor-state'), { name: agent.name, command: setup.command, env: place.env });
      engines.push(engine);
      return engine;
    },
    ofConversation: (args) => runCli(place, args),
    async everything() {
      const entries = await readdir(workspace, { recursive: true, withFileTypes: true });
      const names = entries
        .filter((entry) => entry.isFile() && !isInHiddenFolder(path.relative(workspace, path.join(entry.parentPath, entry.name))))
        .map((entry) => path.join(entry.parentPath, entry.name));
      const contents = names.map(async (name) => [path.relative(workspace, name), await readFile(name, 'latin1')] as const);
      return new Map(await Promise.all(contents));
    },
    async write(name, content) {
      const file = path.join(workspace, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, content);
    },
    read: (name) => readFile(path.join(workspace, name), 'utf8').catch(() => undefined),
    async appears(name) {
      // Watches before it looks, so that the file cannot appear in between.
      const changes = watch(workspace, { signal: AbortSignal.timeout(60_000) });
      const isThere = (): Promise<boolean> => readdir(workspace).then((names) => names.includes(name));
      if (await isThere()) return;
      for await (const _ of changes) if (await isThere()) return;
    },
    async end() {
      for (const { child } of running) if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await Promise.all([...running.map((cli) => cli.ended()), ...engines.map((engine) => engine.end())]);
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** @param name relative to the folder */
export function isInHiddenFolder(name: string): boolean {
  return /(?:^|[\\/])\.[^\\/]*[\\/]/.test(name);
}

function environment(home: string, { env, path: programs = [] }: Setup, without: readonly string[]): NodeJS.ProcessEnv {
  const minimal = minimalEnv(home);
  const kept = Object.entries(env).filter(([name]) => !without.includes(name));
  return {
    ...minimal,
    PATH: [...programs, path.dirname(process.execPath), minimal.PATH].join(path.delimiter),
    ACP_HOST_STATE: path.join(home, 'acp-host-state'),
    ...Object.fromEntries(kept),
  };
}
