/** A server of VS Code with the packaged extension, and a browser for it, on 127.0.0.1 only. */
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BrowserContext } from 'playwright-core';
import * as z from 'zod/mini';
import { descendantsOf, endTree, listProcesses, type Process } from '../../../scripts/processes.mjs';
import { installExtension, startWorkbench } from '../../../scripts/workbench.mjs';
import { launchBrowser, newContext } from './browser.js';

export const root = path.resolve(import.meta.dirname, '../../..');
const workbenchFolder = path.join(root, '.workbench');

/** The limit for one step. Generous, because it only ends tests that hang: a busy machine takes several seconds to draw a workbench. */
export const stepMs = 30_000;

export interface WorkbenchOptions {
  /** Files of the workspace, by relative path. */
  readonly files?: Readonly<Record<string, string>>;
  /** The name of the workspace's folder, for pictures. */
  readonly folderName?: string;
  /** The names of more folders of the workspace, beside the first one. */
  readonly otherFolders?: readonly string[];
  readonly userSettings?: Readonly<Record<string, unknown>>;
  /** Settings with the scope `machine`. The workbench is a remote one, where user settings of this scope have no effect. */
  readonly machineSettings?: Readonly<Record<string, unknown>>;
  /** Whether the workbench asks for workspace trust. By default, every folder is trusted. */
  readonly trust?: boolean;
  /** The folders of built-in extensions of VS Code to add to the few that are always installed. */
  readonly builtIns?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Called before the workbench starts. @param folder the workspace, absolute */
  readonly prepare?: (folder: string) => Promise<void>;
}

/** Options for a workbench with the TypeScript extension, which uses the compiler of this project. */
export const withTypeScript = {
  builtIns: ['typescript-language-features'],
  userSettings: {
    'typescript.tsdk': path.join(root, 'node_modules/typescript/lib'),
    'typescript.disableAutomaticTypeAcquisition': true,
  },
} satisfies WorkbenchOptions;

/** A running server and browser. */
export interface Served {
  /** The workspace, absolute. */
  readonly folder: string;
  /** The URL that a browser opens. */
  readonly url: string;
  /** Requests that left the machine. */
  readonly foreign: readonly string[];
  readonly newContext: () => Promise<BrowserContext>;
  /** Those of the server and of its engine. */
  readonly processes: () => Promise<readonly Process[]>;
  readonly stop: () => Promise<void>;
}

let installed: Promise<string> | undefined;

/** Returns the folder with the extension of the last build: that of the whole suite, or one of its own for a file that runs alone. */
async function installedExtension(): Promise<string> {
  const ofSuite = process.env['ACP_HOST_TEST_EXTENSIONS'];
  if (ofSuite !== undefined) return ofSuite;
  const profile = await mkdtemp(path.join(tmpdir(), 'acp-host-e2e-extension-'));
  process.once('exit', () => rmSync(profile, { recursive: true, force: true }));
  const vsix = path.join(profile, 'acp-host.vsix');
  // What it imports takes half a second of processor time, and only a file that runs alone needs it.
  const { packageExtension } = await import('../../../scripts/package.mjs');
  await packageExtension(vsix);
  return installExtension({ dir: workbenchFolder, vsix, profile });
}

function ofWorkspace(url: string, file: string): string {
  const { origin } = new URL(url);
  return `${origin}/?${new URLSearchParams({ workspace: file }).toString()}`;
}

/** @returns undefined if none runs */
async function enginePid(state: string): Promise<number | undefined> {
  const file = await readFile(path.join(state, 'engine.json'), 'utf8').catch(() => undefined);
  return file === undefined ? undefined : z.object({ pid: z.number() }).parse(JSON.parse(file)).pid;
}

async function writeMachineSettings(profile: string, settings: Readonly<Record<string, unknown>>): Promise<void> {
  await mkdir(path.join(profile, 'data/Machine'), { recursive: true });
  await writeFile(path.join(profile, 'data/Machine/settings.json'), JSON.stringify(settings));
}

/** Starts a server for a new workspace with the packaged extension, and a browser. */
export async function serve(options: WorkbenchOptions): Promise<Served> {
  const parent = await realpath(await mkdtemp(path.join(tmpdir(), 'acp-host-e2e-')));
  const folder = path.join(parent, options.folderName ?? '');
  for (const [name, text] of Object.entries(options.files ?? {})) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  await options.prepare?.(folder);
  const [{ otherFolders = [] }, workspace] = [options, path.join(parent, 'all.code-workspace')];
  if (otherFolders.length > 0) {
    for (const name of otherFolders) await mkdir(path.join(parent, name));
    await writeFile(workspace, JSON.stringify({ folders: [path.basename(folder), ...otherFolders].map((name) => ({ path: name })) }));
  }
  const profile = await mkdtemp(path.join(tmpdir(), 'acp-host-e2e-profile-'));
  await writeMachineSettings(profile, { 'acpHost.defaultAgent': 'demo', ...options.machineSettings });
  const starting = startWorkbench({
    dir: workbenchFolder,
    folder,
    profile,
    extensions: await (installed ??= installedExtension()),
    trust: options.trust ?? false,
    // Most tests start the agent explicitly.
    userSettings: { 'acpHost.startWhenComposing': false, ...options.userSettings },
    ...(options.builtIns === undefined ? {} : { builtIns: options.builtIns }),
    ...(options.env === undefined ? {} : { env: options.env }),
  });
  const [server, browser] = await Promise.all([starting, launchBrowser()]);
  const foreign: string[] = [];
  const state = options.env?.['ACP_HOST_STATE'] ?? path.join(profile, 'xdg/acp-host');
  return {
    folder,
    url: otherFolders.length > 0 ? ofWorkspace(server.url, workspace) : server.url,
    foreign,
    newContext: () => newContext(browser, { foreign, stepMs }),
    async processes() {
      const engine = await enginePid(state);
      const all = await listProcesses();
      const own = [server.pid, ...(engine === undefined ? [] : [engine])].flatMap((pid) => descendantsOf(pid, all));
      // A set, because the engine is a child of the extension host that started it as long as that one runs.
      return [...new Set([...all.filter(({ pid }) => pid === engine), ...own])];
    },
    async stop() {
      await browser.close();
      await server.stop();
      // It outlives the server, and is not its child.
      const engine = await enginePid(state);
      if (engine !== undefined) await endTree(engine);
      for (const own of [parent, profile]) await rm(own, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
