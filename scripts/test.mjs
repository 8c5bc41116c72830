/**
 * `npm test`: installs what is missing, builds, and runs every suite that this machine can run; `npm test -- unit webview/links` only runs
 * these suites and paths, and `npm test -- quick` what belongs to the files that changed since main. A suite that cannot run is reported on
 * one line with the way to enable it, and fails if CI=true. The last line is the sum over all suites.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { ensureDependencies, root } from './dependencies.mjs';
import { runWatched } from './orphanedProcesses.mjs';
import { findChromium } from './prerequisites.mjs';
import { endRunning, messageOf, run } from './processes.mjs';
import { changedFiles, selectQuick } from './quick.mjs';
import { selectAll, selectTests } from './suites.mjs';
import { installExtension } from './workbench.mjs';

/**
 * @typedef {{passed: number, failed: number, skipped: number}} Counts
 * @typedef {import('./suites.mjs').Selected} Selected
 */

const say = (/** @type {string} */ line) => console.log(line);
const inCi = process.env.CI === 'true';
const chosen = process.argv.slice(2);

/** These run at the same time, because they wait for processes more than they work. */
const together = new Set(['cases', 'faults', 'chaos', 'real']);

/** @typedef {{name: string, script: string, args: readonly string[]}} Check */
/** @type {Check} */
const build = { name: 'build', script: 'esbuild.mjs', args: [] };
/** @type {readonly Check[]} The longest first. */
const allChecks = [
  { name: 'lint', script: 'node_modules/oxlint/bin/oxlint', args: ['-c', 'oxlint.config.mjs', '--no-error-on-unmatched-pattern', '.'] },
  { name: 'typecheck', script: 'node_modules/native-typescript/bin/tsc', args: ['-b'] },
  { name: 'format', script: 'node_modules/@biomejs/biome/bin/biome', args: ['format', '--no-errors-on-unmatched', '.'] },
  { name: 'unused', script: 'node_modules/knip/bin/knip.js', args: ['--no-progress'] },
];

/**
 * What the command line selects.
 * @returns {Promise<{selected: readonly Selected[], checks: readonly Check[]}>}
 */
async function selectChosen() {
  if (chosen.length === 0) return { selected: await selectAll(), checks: allChecks };
  if (!chosen.includes('quick')) {
    const selected = await selectTests(chosen.filter((name) => name !== 'checks'));
    return { selected, checks: chosen.includes('checks') ? allChecks : [] };
  }
  if (chosen.length > 1) throw new Error('“quick” takes no other suite or path.');
  const changed = await changedFiles(root);
  const { selected, notes } = await selectQuick(changed);
  for (const note of notes) say(note);
  return { selected, checks: checksOf(changed.filter((file) => /\.[cm]?[jt]sx?$/.test(file))) };
}

/**
 * @param {readonly string[]} files
 * @returns {readonly Check[]} the type check, which is incremental, and the checks of these files alone
 */
function checksOf(files) {
  const some = allChecks.filter(({ name, args }) => name === 'typecheck' || (files.length > 0 && args.includes('.')));
  return some.map((check) => ({ ...check, args: check.args.flatMap((arg) => (arg === '.' ? files : [arg])) }));
}

/**
 * @param {Selected} selected
 * @param {NodeJS.ProcessEnv & {ACP_HOST_TEST_RUN: string, TMPDIR: string}} env
 * @returns {Promise<Counts & {note?: string}>} a run without a closing line, and each process left over, count as failures
 */
async function runSuite({ suite, files }, env) {
  if (files.length === 0) return { passed: 0, failed: 1, skipped: 0, note: 'it has no test files' };
  // Must not be imported before the dependencies are installed.
  const { bundleTests } = await import('./testBundles.mjs');
  const { scripts, folder } = await bundleTests(suite.name, files);
  const extension = suite.packaged === true ? { ACP_HOST_TEST_EXTENSIONS: await installForTests(env.TMPDIR) } : {};
  const runner = path.join(root, 'scripts/runFiles.mjs');
  const args = ['--enable-source-maps', runner, String(suite.atOnce), String(suite.fileTimeoutMs), ...scripts];
  const { output, leftovers } = await runWatched(process.execPath, args, {
    cwd: root,
    env: { ...env, ...extension, ACP_HOST_TEST_BUNDLES: folder },
    onOutput: (text) => process.stdout.write(text),
  });
  for (const one of leftovers) say(`  LEFT OVER  process ${one.pid}: ${one.command.slice(0, 200)}`);
  const [, passed, failed, skipped] = /all of it: (\d+) passed, (\d+) failed, (\d+) skipped\n$/.exec(output) ?? [];
  if (passed === undefined) return { passed: 0, failed: 1 + leftovers.length, skipped: 0, note: 'the test run ended without a sum' };
  return { passed: Number(passed), failed: Number(failed) + leftovers.length, skipped: Number(skipped) };
}

/**
 * Packages and installs the extension once for all files.
 * @param {string} scratch
 */
async function installForTests(scratch) {
  const file = path.join(scratch, 'acp-host.vsix');
  // A process of its own, because it prints a list of files.
  await run(process.execPath, [path.join(root, 'scripts/package.mjs'), file], { cwd: root });
  return installExtension({ dir: path.join(root, '.workbench'), vsix: file, profile: path.join(scratch, 'installed') });
}

/**
 * Counts build, types and lint as tests.
 * @param {readonly Check[]} selected
 * @returns {Promise<Counts>}
 */
async function runChecks(selected) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  const waiting = selected.values();
  const runWaiting = async () => {
    for (const check of waiting) {
      const ok = await runCheck(check);
      total[ok ? 'passed' : 'failed'] += 1;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, runWaiting));
  return total;
}

/**
 * @param {Check} check
 * @returns {Promise<boolean>} whether it passed
 */
async function runCheck({ name, script, args }) {
  const startedAt = performance.now();
  const problem = await run(process.execPath, [path.join(root, script), ...args], { cwd: root }).then(() => undefined, messageOf);
  say(
    `  ${problem === undefined ? 'ok     ' : 'FAILED '}  ${name}, ${secondsSince(startedAt)} s${problem === undefined ? '' : `\n${problem}`}`,
  );
  return problem === undefined;
}

/**
 * @param {Selected} selected
 * @returns {Promise<readonly string[]>} how to get what the suite needs and is still missing
 */
async function findMissing({ suite }) {
  // The workbench is installed if it was requested by name; otherwise a first `npm test` would download 800 MB.
  const install = inCi || chosen.length > 0;
  return (await Promise.all(suite.needs.map((need) => need({ install, say })))).filter((one) => one !== undefined);
}

/**
 * @param {Selected} selected
 * @param {readonly string[]} missing
 * @param {NodeJS.ProcessEnv & {ACP_HOST_TEST_RUN: string, TMPDIR: string}} env
 */
async function runIfPossible(selected, missing, env) {
  if (missing.length === 0) return runSuite(selected, env);
  const note = `not run; to enable it: ${missing.join('; ')}`;
  return inCi ? { passed: 0, failed: 1, skipped: 0, note } : { passed: 0, failed: 0, skipped: selected.files.length, note };
}

/** @param {number} startedAt */
const secondsSince = (startedAt) => ((performance.now() - startedAt) / 1000).toFixed(1);

/**
 * @param {string} scratch where the tests have their temporary files
 * @returns {Promise<Counts>} the sum over all suites
 */
async function main(scratch) {
  await ensureDependencies(say);
  const { selected, checks } = await selectChosen();
  const env = {
    ...process.env,
    ACP_HOST_TEST_CHROMIUM: await findChromium(),
    ACP_HOST_TEST_PROGRAMS: root,
    TMPDIR: scratch,
  };
  const total = { passed: 0, failed: 0, skipped: 0 };
  /**
   * @param {string} name
   * @param {() => Promise<Counts & {note?: string}>} runStep
   */
  const step = async (name, runStep) => {
    const startedAt = performance.now();
    const { passed, failed, skipped, note } = await runStep();
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
    const seconds = secondsSince(startedAt);
    say(`${name}: ${passed} passed, ${failed} failed, ${skipped} skipped, ${seconds} s${note === undefined ? '' : ` (${note})`}\n`);
  };
  // Installs beside the checks, where part of the machine is idle. What fails is reported by the suite.
  const missing = new Map(selected.map((one) => [one, findMissing(one)]));
  const installed = Promise.allSettled(missing.values());
  // Every suite may use the build.
  await step('build', () => runChecks([build]));
  if (checks.length > 0) await step('checks', () => runChecks(checks));
  await installed;
  for (const group of groupsOf(selected)) {
    await Promise.all(
      group.map((one) =>
        step(one.suite.name, async () => {
          // Each suite has a mark of its own, by which it finds the processes that it left behind.
          return runIfPossible(one, (await missing.get(one)) ?? [], { ...env, ACP_HOST_TEST_RUN: randomUUID() });
        }),
      ),
    );
  }
  return total;
}

/**
 * @param {readonly Selected[]} selected
 * @returns {readonly (readonly Selected[])[]} in the same order; those that are `together` are one group
 */
function groupsOf(selected) {
  /** @type {Selected[][]} */
  const groups = [];
  for (const one of selected) {
    const last = groups.at(-1);
    if (last !== undefined && [...last, one].every(({ suite }) => together.has(suite.name))) last.push(one);
    else groups.push([one]);
  }
  return groups;
}

for (const name of ['SIGINT', 'SIGTERM']) {
  process.once(name, () => void endRunning().then(() => process.exit(130)));
}

/** @type {Counts} */
let total = { passed: 0, failed: 1, skipped: 0 };
const scratch = await mkdtemp(path.join(tmpdir(), 'acp-host-test-'));
try {
  total = await main(scratch);
} catch (error) {
  say(messageOf(error));
} finally {
  // Tests that were cut off leave files.
  await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
}
process.exitCode = total.failed === 0 ? 0 : 1;
say(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
