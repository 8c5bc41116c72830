/**
 * A VS Code workbench without a desktop: code-server, installed once into its own folder, and started with its own profile each time. `npm
 * start` and the end-to-end tests use it.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { endTree, endWithUs, run, runNpm, withProgress } from './processes.mjs';

/** VS Code 1.139.1; it only runs on Node 24, which also comes from npm. */
const codeServerVersion = '4.139.1';
const nodeVersion = '24.21.0';

/** Enough for viewing code and diffs; every other built-in extension takes memory and seconds. */
const fewBuiltIns = [
  'configuration-editing',
  'css',
  'diff',
  'html',
  'javascript',
  'json',
  'log',
  'markdown-basics',
  'python',
  'shellscript',
  'theme-defaults',
  'theme-modern-icons',
  'theme-seti',
  'typescript-basics',
];
/** They look for accounts and models of others. */
const unwantedBuiltIns = ['copilot', 'github', 'github-authentication', 'microsoft-authentication', 'tunnel-forwarding'];

const quietSettings = {
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'chat.disableAIFeatures': true,
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'update.mode': 'none',
  // Otherwise, a notification for each listening process covers the page.
  'remote.autoForwardPorts': false,
  'git.openRepositoryInParentFolders': 'never',
};

/**
 * Returns where an installed workbench is below `dir`.
 * @param {string} dir
 */
function layout(dir) {
  const home = path.join(dir, `code-server-${codeServerVersion}`);
  const codeServer = path.join(home, 'cs/node_modules/code-server');
  return {
    home,
    node: path.join(home, `node24/node_modules/${nodePackage}/bin/node`),
    entry: path.join(codeServer, 'out/node/entry.js'),
    vscode: path.join(codeServer, 'lib/vscode'),
    builtIns: path.join(codeServer, 'lib/vscode/extensions'),
  };
}

const nodePackage = `node-${process.platform}-${process.arch}`;

/**
 * Whether `ensureWorkbench` has nothing to do.
 * @param {string} dir
 */
export function hasWorkbench(dir) {
  return existsSync(layout(dir).home);
}

/**
 * Installs the workbench into `dir` unless it is already there: about 800 MB, half a minute with a good connection. An interrupted install
 * leaves nothing that a later one would consider complete.
 * @param {string} dir absolute
 * @param {(line: string) => void} say
 */
export async function ensureWorkbench(dir, say) {
  if (hasWorkbench(dir)) return;
  if (process.platform === 'win32')
    throw new Error('The local workbench does not run on Windows. Install VS Code, so that `code` is on PATH, and try again.');
  await mkdir(dir, { recursive: true });
  await removeAbandonedInstalls(dir);
  const partial = path.join(dir, `partial-${process.pid}`);
  const env = {
    ...process.env,
    PATH: `${path.join(partial, `node24/node_modules/${nodePackage}/bin`)}${path.delimiter}${process.env.PATH}`,
  };
  const install = async (/** @type {string} */ folder, /** @type {readonly string[]} */ args) => {
    await mkdir(folder, { recursive: true });
    // A separate manifest prevents npm from using the project's.
    if (!existsSync(path.join(folder, 'package.json'))) await writeFile(path.join(folder, 'package.json'), '{"private":true}');
    await runNpm(['install', '--no-fund', '--no-audit', '--ignore-scripts', ...args], { cwd: folder, env });
  };
  try {
    await withProgress(`Installing Node ${nodeVersion} for the workbench`, say, () =>
      install(path.join(partial, 'node24'), [`${nodePackage}@${nodeVersion}`]),
    );
    await withProgress(`Installing VS Code (code-server ${codeServerVersion})`, say, () =>
      install(path.join(partial, 'cs'), [`code-server@${codeServerVersion}`]),
    );
    await withProgress('Installing what VS Code needs', say, () =>
      install(path.join(partial, 'cs/node_modules/code-server/lib/vscode'), ['--omit=dev']),
    );
    await rename(partial, layout(dir).home).catch((error) => {
      if (!hasWorkbench(dir)) throw error; // otherwise another process was faster
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** @param {string} dir */
async function removeAbandonedInstalls(dir) {
  for (const name of await readdir(dir)) {
    const pid = /^partial-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(path.join(dir, name), { recursive: true, force: true });
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * @typedef {object} WorkbenchOptions
 * @property {string} dir where `ensureWorkbench` installed it
 * @property {string} folder the workspace to open, absolute
 * @property {string} [vsix] an extension package to install first
 * @property {string} [extensions] a folder in which `installExtension` installed one; the profile gets a copy
 * @property {string} [extensionDevelopmentPath] an extension folder to load instead; needs and implies `smokeDriver`
 * @property {string} [extensionTestsPath] a module with `run()` to call inside the extension host; needs `extensionDevelopmentPath`
 * @property {string} [profile] keeps settings and state; absent: a temporary one, removed at the end
 * @property {number} [port] default: a free one
 * @property {Record<string, unknown>} [userSettings] on top of the quiet ones
 * @property {boolean} [trust] whether workspace trust is asked for; default: every folder is trusted
 * @property {boolean} [smokeDriver] switches the workbench's own driver on, which takes the test page's callbacks
 * @property {boolean} [allBuiltIns] git, TypeScript and the other language features too
 * @property {readonly string[]} [builtIns] these, by their folders, beside the few that every workbench has
 * @property {NodeJS.ProcessEnv} [env] added to the environment of the server, its extension host and so of agents; `undefined` removes
 *
 * @typedef {object} Workbench
 * @property {string} url what a browser opens
 * @property {number} pid
 * @property {string} profile the folder with its settings, logs and extensions
 * @property {() => string} log the end of the server's own output
 * @property {() => Promise<void>} stop ends the server and everything it started
 */

/**
 * Installs an extension once for several profiles.
 * @param {{dir: string, vsix: string, profile: string}} options `dir` is where `ensureWorkbench` installed the workbench
 * @returns {Promise<string>} the folder for `extensions` of `startWorkbench`
 */
export async function installExtension({ dir, vsix, profile }) {
  const installed = layout(dir);
  await writeProfile(profile, installed.builtIns, {});
  await install(installed, vsix, profile, serverEnv(profile));
  return path.join(profile, 'extensions');
}

/**
 * @param {ReturnType<typeof layout>} installed
 * @param {string} vsix
 * @param {string} profile
 * @param {NodeJS.ProcessEnv} env
 */
async function install({ node, entry }, vsix, profile, env) {
  await run(node, [entry, ...profileArgs(profile), '--install-extension', vsix, '--force'], { cwd: profile, env });
}

/** @param {string} profile */
function profileArgs(profile) {
  const folders = ['--user-data-dir', path.join(profile, 'data'), '--extensions-dir', path.join(profile, 'extensions')];
  return ['--config', path.join(profile, 'config.yaml'), ...folders];
}

/**
 * Starts the workbench on 127.0.0.1 without a gallery, telemetry or an account.
 * @param {WorkbenchOptions} options
 * @returns {Promise<Workbench>}
 */
export async function startWorkbench(options) {
  const { dir, vsix, extensions, port = 0, trust = false } = options;
  const smokeDriver = options.smokeDriver === true || options.extensionDevelopmentPath !== undefined;
  const installed = layout(dir);
  const temporary = options.profile === undefined;
  const profile = options.profile ?? (await mkdtemp(path.join(tmpdir(), 'acp-host-workbench-')));
  await writeProfile(profile, installed.builtIns, options);
  const env = serverEnv(profile, options.env);
  const common = profileArgs(profile);
  if (vsix !== undefined) await install(installed, vsix, profile, env);
  if (extensions !== undefined) await cp(extensions, path.join(profile, 'extensions'), { recursive: true });

  const args = [
    installed.entry,
    ...common,
    '--auth',
    'none',
    '--bind-addr',
    `127.0.0.1:${port}`,
    '--disable-telemetry',
    '--disable-update-check',
    '--disable-getting-started-override',
    '--disable-proxy',
    '--ignore-last-opened',
    ...(trust ? [] : ['--disable-workspace-trust']),
    '--vscode-option',
    `builtin-extensions-dir=${path.join(profile, 'built-in')}`,
    ...(smokeDriver ? ['--vscode-option', 'enable-smoke-test-driver'] : []),
  ];
  // Detached, so that its process group can be ended as a whole, and so that Ctrl+C in the terminal only reaches the script that started
  // it.
  const server = spawn(installed.node, args, { cwd: profile, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  endWithUs(server);
  const output = keepTail(server);
  const stop = async () => {
    if (server.pid !== undefined && server.exitCode === null && server.signalCode === null) await endTree(server.pid);
    if (temporary) await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const origin = await listening(server, output);
    return { url: workbenchUrl(origin, options), pid: server.pid ?? 0, profile, log: () => output.tail, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * @param {string} profile
 * @param {string} builtIns where the built-in extensions lie
 * @param {Partial<WorkbenchOptions>} options
 */
async function writeProfile(profile, builtIns, { trust = false, userSettings, allBuiltIns = false, builtIns: more = [] }) {
  const user = path.join(profile, 'data/User');
  const links = path.join(profile, 'built-in');
  await mkdir(user, { recursive: true });
  await mkdir(path.join(profile, 'xdg'), { recursive: true });
  await rm(links, { recursive: true, force: true });
  await mkdir(links);
  await writeFile(path.join(profile, 'config.yaml'), '{}\n');
  const settings = { ...quietSettings, 'security.workspace.trust.enabled': trust, ...userSettings };
  const settingsFile = path.join(user, 'settings.json');
  // An existing profile keeps the settings that the user made in it.
  if (userSettings !== undefined || !existsSync(settingsFile)) await writeFile(settingsFile, JSON.stringify(settings, null, 2));
  const names = allBuiltIns ? (await readdir(builtIns)).filter((name) => !unwantedBuiltIns.includes(name)) : [...fewBuiltIns, ...more];
  for (const name of names) await symlink(path.join(builtIns, name), path.join(links, name));
}

/**
 * @param {string} profile
 * @param {NodeJS.ProcessEnv} [added]
 */
function serverEnv(profile, added) {
  /** @type {NodeJS.ProcessEnv} */
  const env = {
    ...process.env,
    HOME: profile,
    XDG_CONFIG_HOME: path.join(profile, 'xdg'),
    XDG_DATA_HOME: path.join(profile, 'xdg'),
    XDG_STATE_HOME: path.join(profile, 'xdg'),
    EXTENSIONS_GALLERY: '{"serviceUrl":""}',
    ...added,
  };
  // Variables of npm's scripts, and of an editor around this process, must not reach the extension host.
  for (const name of Object.keys(env)) {
    if (/^(npm_|VSCODE_|NODE_OPTIONS$|NODE_TEST_CONTEXT$|ELECTRON_)/.test(name) && added?.[name] === undefined) delete env[name];
    else if (env[name] === undefined) delete env[name];
  }
  return env;
}

/** @typedef {import('node:child_process').ChildProcessByStdio<null, import('node:stream').Readable, import('node:stream').Readable>} Server */

/** @param {Server} server */
function keepTail(server) {
  const output = { tail: '' };
  for (const stream of [server.stdout, server.stderr])
    stream.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => {
      output.tail = (output.tail + chunk).slice(-20_000);
    });
  return output;
}

/**
 * Waits at most a minute for the line in which the server reports its address.
 * @param {Server} server
 * @param {{readonly tail: string}} output
 * @returns {Promise<string>} its origin
 */
function listening(server, output) {
  return new Promise((resolve, reject) => {
    const fail = (/** @type {string} */ why) => {
      clearTimeout(timer);
      reject(new Error(`The workbench ${why}:\n${output.tail}`));
    };
    const timer = setTimeout(() => fail('did not start within a minute'), 60_000);
    server.once('error', (error) => fail(`could not be started (${error.message})`));
    server.once('exit', (code) => fail(`ended at its start with code ${code}`));
    server.stdout.on('data', () => {
      const origin = /HTTP server listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(output.tail)?.[1];
      if (origin === undefined) return;
      clearTimeout(timer);
      resolve(origin);
    });
  });
}

/**
 * @param {string} origin
 * @param {WorkbenchOptions} options
 */
function workbenchUrl(origin, { folder, extensionDevelopmentPath, extensionTestsPath }) {
  const url = new URL(origin);
  url.searchParams.set('folder', folder);
  const remote = (/** @type {string} */ file) => `vscode-remote://${url.host}${file}`;
  const payload = [];
  if (extensionDevelopmentPath !== undefined) payload.push(['extensionDevelopmentPath', remote(extensionDevelopmentPath)]);
  if (extensionTestsPath !== undefined) payload.push(['extensionTestsPath', remote(extensionTestsPath)]);
  if (payload.length > 0) url.searchParams.set('payload', JSON.stringify(payload));
  return url.href;
}
