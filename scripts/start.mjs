/**
 * `npm start`: a workbench with the extension and a sample workspace, in VS Code if it is installed, else in a local one in the browser.
 * `npm start -- --browser`: always the local one. `npm start -- run "list"`: the command line with the demo agent instead.
 */
import { spawn } from 'node:child_process';
import { cp, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { ensureDependencies, root } from './dependencies.mjs';
import { endRunning, findOnPath, messageOf, run, withProgress } from './processes.mjs';
import { ensureWorkbench, startWorkbench } from './workbench.mjs';

const say = (/** @type {string} */ line) => console.error(line);
const ownFolder = path.join(root, '.workbench');
/** Makes the extension show the chat. */
const inChat = { ACP_HOST_OPEN_CHAT: '1' };

let stopping = false;
/**
 * Ends the current install or workbench; a second Ctrl+C in the meantime has no effect.
 * @type {(name: NodeJS.Signals) => Promise<void>}
 */
let onSignal = async () => {
  if (stopping) return;
  stopping = true;
  say('Stopping …');
  await endRunning();
  process.exit(130);
};
for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(name, () => void onSignal(name));

/** Copied once: changes by agents and users stay until the copy is deleted. */
async function ensureSample() {
  const sample = path.join(ownFolder, 'sample');
  await mkdir(sample, { recursive: true });
  if ((await readdir(sample)).length === 0) {
    await cp(path.join(root, 'samples/workspace'), sample, { recursive: true });
    if ((await findOnPath('git')) !== undefined) await commitAll(sample);
  }
  return sample;
}

/**
 * Lets the editor show what agents change.
 * @param {string} folder
 */
async function commitAll(folder) {
  const identity = ['-c', 'user.name=ACP Host', '-c', 'user.email=acp-host@localhost', '-c', 'commit.gpgSign=false'];
  await run('git', ['init', '--quiet'], { cwd: folder });
  await run('git', ['add', '--all'], { cwd: folder });
  await run('git', [...identity, 'commit', '--quiet', '--message', 'The sample as it comes'], { cwd: folder });
}

/**
 * Passes on the output and the exit code of the command line.
 * @param {readonly string[]} args
 */
async function runCli(args) {
  const agentIsNamed = args.some((arg) => /^--(agent|command|url)(=|$)/.test(arg));
  const withAgent = args[0] === 'run' && !agentIsNamed ? ['run', '--agent', 'demo', ...args.slice(1)] : args;
  const cli = spawn(process.execPath, [path.join(root, 'dist/cli.js'), ...withAgent], { cwd: await ensureSample(), stdio: 'inherit' });
  // Ctrl+C in a terminal reaches both processes, but must cancel the turn only once.
  onSignal = async (name) => {
    if (name !== 'SIGINT' || !process.stdin.isTTY) cli.kill(name);
  };
  process.exitCode = await new Promise((resolve, reject) => {
    cli.once('error', reject);
    cli.once('close', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)));
  });
}

/**
 * @param {string} folder
 * @returns whether VS Code took it; it refuses, for instance, as root and inside a remote window's terminal
 */
async function openDesktop(folder) {
  const code = await findOnPath('code');
  if (code === undefined || process.env.VSCODE_IPC_HOOK_CLI !== undefined) return false;
  try {
    await run(code, ['--new-window', `--extensionDevelopmentPath=${root}`, folder], {
      cwd: root,
      env: { ...process.env, ...inChat },
      shell: process.platform === 'win32',
    });
  } catch (error) {
    say(`VS Code (${code}) did not open, so the workbench in the browser it is. ${messageOf(error)}`);
    return false;
  }
  say(`VS Code opens with ACP Host and the sample workspace ${folder}.`);
  return true;
}

/** @param {string} folder */
async function openBrowserWorkbench(folder) {
  await ensureWorkbench(ownFolder, say);
  const vsix = path.join(ownFolder, 'acp-host.vsix');
  // A separate process, because vsce lists every file, which is only worth reading if it fails.
  await withProgress('Packing the extension', say, () =>
    run(process.execPath, [path.join(root, 'scripts/package.mjs'), vsix], { cwd: root }),
  );
  const { HOME, XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME } = process.env;
  const workbench = await withProgress('Starting the workbench', say, () =>
    // Agents find their settings and sign-ins in the user's own home folder.
    startWorkbench({
      dir: ownFolder,
      folder,
      vsix,
      profile: path.join(ownFolder, 'profile'),
      allBuiltIns: true,
      // This workbench comes without a TypeScript compiler.
      userSettings: { 'typescript.tsdk': path.join(root, 'node_modules/typescript/lib') },
      env: { HOME, XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME, ...inChat },
    }),
  );
  say(`\nACP Host is open at ${workbench.url}\nPress Ctrl+C to stop.`);
}

/** @param {readonly string[]} args */
async function main(args) {
  if (Number(process.versions.node.split('.')[0]) < 20) throw new Error(`ACP Host needs Node 20 or newer; this is ${process.version}.`);
  await ensureDependencies(say);
  const { build } = await import('../esbuild.mjs');
  await withProgress('Building', say, build);
  const inBrowser = args[0] === '--browser';
  if (args.length > 0 && !inBrowser) return runCli(args);
  const folder = await ensureSample();
  if (inBrowser || !(await openDesktop(folder))) await openBrowserWorkbench(folder);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  // What was ended on purpose did not fail.
  if (!stopping) say(messageOf(error));
  process.exitCode = 1;
}
