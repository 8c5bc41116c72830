/**
 * `npm test`: installs what is missing, builds, and runs every suite that this machine can run; `npm test -- unit page` only runs these. A
 * suite that cannot run is reported on one line with the way to enable it, and fails if CI=true. The last line is the sum over all suites.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { ensureDependencies, root } from './dependencies.mjs';
import { runWatched } from './orphanedProcesses.mjs';
import { chromium, executable, findChromium, workbench } from './prerequisites.mjs';
import { endRunning, messageOf, run } from './processes.mjs';
import { installExtension } from './workbench.mjs';

/**
 * @typedef {{passed: number, failed: number, skipped: number}} Counts
 * @typedef {object} Suite
 * @property {string} name
 * @property {readonly string[]} [folders] below test/; absent: every folder that no other suite has
 * @property {readonly import('./prerequisites.mjs').Need[]} needs
 * @property {boolean} [packaged] its tests install the packaged extension
 * @property {number} fileTimeoutMs bounds one test file, so that nothing hangs
 * @property {readonly string[]} [startFirst] files that take long, below test/ without their ending: at the end, nothing waits for them alone
 * @property {number} atOnce files that run at the same time: on two cores more than two where tests wait more than they work
 */

const say = (/** @type {string} */ line) => console.log(line);
const inCi = process.env.CI === 'true';
const chosen = process.argv.slice(2);

/** @type {readonly Suite[]} */
const suites = [
  {
    name: 'unit',
    needs: [],
    // Half of them wait more than they work.
    startFirst: [
      'backends/pi.conformance',
      'core/conversation/conversation',
      'backends/acp.conformance',
      'bench/package',
      'core/process/watchdog',
    ],
    atOnce: 4,
    fileTimeoutMs: 300_000,
  },
  // What real agents did, reduced to its cause, against the built command line.
  { name: 'cases', folders: ['cases'], needs: [], atOnce: 2, fileTimeoutMs: 300_000 },
  { name: 'faults', folders: ['faults'], needs: [], atOnce: 2, fileTimeoutMs: 300_000 },
  { name: 'chaos', folders: ['chaos'], needs: [], atOnce: 2, fileTimeoutMs: 300_000 },
  {
    name: 'real',
    folders: ['real'],
    needs: [executable('ACP_HOST_TEST_AGENTAO', 'agentao 0.5.17'), executable('ACP_HOST_TEST_AGENTAO_OLD', 'agentao 0.4.20')],
    startFirst: ['real/pi', 'real/servedPi', 'real/realAgents'],
    atOnce: 3,
    fileTimeoutMs: 300_000,
  },
  {
    name: 'page',
    folders: ['webview'],
    needs: [chromium],
    startFirst: ['webview/look', 'webview/permission', 'webview/selectors', 'webview/widths', 'webview/commandPopup'],
    atOnce: 2,
    fileTimeoutMs: 300_000,
  },
  {
    name: 'workbench',
    folders: ['e2e'],
    needs: [chromium, workbench],
    packaged: true,
    startFirst: ['e2e/conversations', 'e2e/chat', 'e2e/family', 'e2e/agentao'],
    atOnce: 2,
    fileTimeoutMs: 600_000,
  },
];

/** These run at the same time, because they wait for processes more than they work. */
const together = new Set(['cases', 'faults', 'chaos', 'real']);

/** @typedef {{name: string, script: string, args: readonly string[]}} Check */
/** @type {Check} */
const build = { name: 'build', script: 'esbuild.mjs', args: [] };
/** @type {readonly Check[]} The longest first: it takes as long on one core as all others on another. */
const checks = [
  { name: 'lint', script: 'node_modules/eslint/bin/eslint.js', args: ['.', '--max-warnings', '0'] },
  { name: 'typecheck', script: 'node_modules/typescript/bin/tsc', args: ['-b'] },
  { name: 'format', script: 'node_modules/@biomejs/biome/bin/biome', args: ['format', '.'] },
  { name: 'unused', script: 'node_modules/knip/bin/knip.js', args: ['--no-progress'] },
];

/** @param {Suite} suite */
async function testFilesOf(suite) {
  const taken = new Set(suites.flatMap((one) => one.folders ?? []));
  const all = (await readdir(path.join(root, 'test'), { recursive: true })).filter(
    (name) => name.endsWith('.test.ts') && !name.includes('node_modules'),
  );
  const mine = all.filter((name) => {
    const [folder = ''] = name.split(path.sep);
    return suite.folders === undefined ? !taken.has(folder) : suite.folders.includes(folder);
  });
  // By name, not by folder: most files of one folder wait, or work, at the same time.
  const files = mine.map((name) => path.join('test', name)).sort((a, b) => path.basename(a).localeCompare(path.basename(b), 'en'));
  const first = (suite.startFirst ?? []).map((name) => path.join('test', `${name}.test.ts`));
  const unknown = first.find((file) => !files.includes(file));
  if (unknown !== undefined) throw new Error(`The suite “${suite.name}” has no ${unknown}.`);
  return [...first, ...files.filter((file) => !first.includes(file))];
}

/**
 * @param {Suite} suite
 * @param {NodeJS.ProcessEnv & {ACP_HOST_TEST_RUN: string, TMPDIR: string}} env
 * @returns {Promise<Counts & {note?: string}>} a run without a closing line, and each process left over, count as failures
 */
async function runSuite(suite, env) {
  const files = await testFilesOf(suite);
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
 * @param {Suite} suite
 * @returns {Promise<readonly string[]>} how to get what the suite needs and is still missing
 */
async function findMissing(suite) {
  // The workbench is installed if it was requested by name; otherwise a first `npm test` would download 800 MB.
  const install = inCi || chosen.includes(suite.name);
  return (await Promise.all(suite.needs.map((need) => need({ install, say })))).filter((one) => one !== undefined);
}

/**
 * @param {Suite} suite
 * @param {readonly string[]} missing
 * @param {NodeJS.ProcessEnv & {ACP_HOST_TEST_RUN: string, TMPDIR: string}} env
 */
async function runIfPossible(suite, missing, env) {
  if (missing.length === 0) return runSuite(suite, env);
  const note = `not run; to enable it: ${missing.join('; ')}`;
  return inCi ? { passed: 0, failed: 1, skipped: 0, note } : { passed: 0, failed: 0, skipped: (await testFilesOf(suite)).length, note };
}

/** @param {number} startedAt */
const secondsSince = (startedAt) => ((performance.now() - startedAt) / 1000).toFixed(1);

/**
 * @param {string} scratch where the tests have their temporary files
 * @returns {Promise<Counts>} the sum over all suites
 */
async function main(scratch) {
  const names = ['checks', ...suites.map(({ name }) => name)];
  const unknown = chosen.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`There is no suite “${unknown}”. There are: ${names.join(', ')}.`);
  await ensureDependencies(say);

  const isChosen = (/** @type {string} */ name) => chosen.length === 0 || chosen.includes(name);
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
  const selected = suites.filter(({ name }) => isChosen(name));
  // Installs beside the checks, where part of the machine is idle. What fails is reported by the suite.
  const missing = new Map(selected.map((suite) => [suite, findMissing(suite)]));
  const installed = Promise.allSettled(missing.values());
  // Every suite may use the build.
  await step('build', () => runChecks([build]));
  if (isChosen('checks')) await step('checks', () => runChecks(checks));
  await installed;
  for (const group of groupsOf(selected)) {
    await Promise.all(
      group.map((suite) =>
        step(suite.name, async () => {
          // Each suite has a mark of its own, by which it finds the processes that it left behind.
          return runIfPossible(suite, (await missing.get(suite)) ?? [], { ...env, ACP_HOST_TEST_RUN: randomUUID() });
        }),
      ),
    );
  }
  return total;
}

/**
 * @param {readonly Suite[]} selected
 * @returns {readonly (readonly Suite[])[]} in the same order; those that are `together` are one group
 */
function groupsOf(selected) {
  /** @type {Suite[][]} */
  const groups = [];
  for (const suite of selected) {
    const last = groups.at(-1);
    if (last !== undefined && [...last, suite].every(({ name }) => together.has(name))) last.push(suite);
    else groups.push([suite]);
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
