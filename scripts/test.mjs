/**
 * `npm test`: installs what is missing, builds, and runs every suite that this machine can run; `npm test -- unit page` runs those only.
 * What cannot run is said in one line with the way to enable it, and fails where CI=true. The last line is the sum over all suites.
 */
import { randomUUID } from 'node:crypto';
import { access, constants, readdir } from 'node:fs/promises';
import path from 'node:path';
import { ensureDependencies, root } from './dependencies.mjs';
import { runWatched } from './leftovers.mjs';
import { endRunning, findOnPath, run } from './processes.mjs';
import { ensureWorkbench, hasWorkbench } from './workbench.mjs';

const say = (line) => console.log(line);
const inCi = process.env.CI === 'true';
const workbenchDir = path.join(root, '.workbench');
const chosen = process.argv.slice(2);

const chromium = {
  missing: async () => ((await findChromium()) === undefined ? 'install Chromium (Debian: apt-get install chromium fonts-dejavu-core) or set ACP_HOST_TEST_CHROMIUM to its path' : undefined),
};
const workbench = {
  // Asked for by name, it is installed; otherwise a first `npm test` would download 800 MB unasked.
  missing: async () => {
    if (!hasWorkbench(workbenchDir) && (inCi || chosen.includes('workbench'))) await ensureWorkbench(workbenchDir, say);
    return hasWorkbench(workbenchDir) ? undefined : 'install the workbench: npm test -- workbench';
  },
};
const executable = (variable, what) => ({
  missing: async () => ((await isExecutable(process.env[variable])) ? undefined : `set ${variable} to the path of ${what}`),
});

/** `folders`: below test/; absent: every folder that no other suite has. `fileTimeoutMs` bounds one test file, so that nothing hangs. */
const suites = [
  { name: 'unit', needs: [], fileTimeoutMs: 120_000 },
  { name: 'page', folders: ['webview'], needs: [chromium], fileTimeoutMs: 180_000 },
  {
    name: 'real', folders: ['real'], fileTimeoutMs: 300_000,
    needs: [executable('ACP_HOST_TEST_AGENTAO', 'agentao 0.5.17'), executable('ACP_HOST_TEST_AGENTAO_OLD', 'agentao 0.4.20')],
  },
  { name: 'workbench', folders: ['e2e'], needs: [chromium, workbench], fileTimeoutMs: 600_000 },
];

async function isExecutable(file) {
  return file !== undefined && (await access(file, constants.X_OK).then(() => true, () => false));
}

async function findChromium() {
  const candidates = [process.env.ACP_HOST_TEST_CHROMIUM, '/usr/bin/chromium', await findOnPath('chromium'), await findOnPath('chromium-browser'), await findOnPath('google-chrome')];
  for (const file of candidates) if (await isExecutable(file)) return file;
  return undefined;
}

async function testFilesOf(suite) {
  const taken = new Set(suites.flatMap((one) => one.folders ?? []));
  const all = (await readdir(path.join(root, 'test'), { recursive: true })).filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'));
  const mine = all.filter((name) => {
    const [folder] = name.split(path.sep);
    return suite.folders === undefined ? !taken.has(folder) : suite.folders.includes(folder);
  });
  return mine.sort().map((name) => path.join('test', name));
}

/** @returns the suite's counts; a run without a closing line, or with processes left over, is a failure too */
async function runSuite(suite, env) {
  const files = await testFilesOf(suite);
  if (files.length === 0) return { passed: 0, failed: 1, skipped: 0, note: 'it has no test files' };
  const args = [
    '--import', 'tsx', '--test', '--test-concurrency=2', `--test-timeout=${suite.fileTimeoutMs}`,
    '--test-reporter', './scripts/reporter.mjs', '--test-reporter-destination', 'stdout', ...files,
  ];
  const { output, leftovers } = await runWatched(process.execPath, args, { cwd: root, env, onOutput: (text) => process.stdout.write(text) });
  const sum = /(\d+) passed, (\d+) failed, (\d+) skipped\n$/.exec(output);
  if (sum === null) return { passed: 0, failed: 1, skipped: 0, note: 'the test run ended without a sum' };
  const [passed, failed, skipped] = sum.slice(1).map(Number);
  for (const one of leftovers) say(`  LEFT OVER  process ${one.pid}: ${one.command.slice(0, 200)}`);
  return { passed, failed: failed + leftovers.length, skipped };
}

const checks = [
  { name: 'build', script: 'esbuild.mjs', args: [] },
  { name: 'typecheck', script: 'node_modules/typescript/bin/tsc', args: ['-b'] },
  { name: 'lint', script: 'node_modules/eslint/bin/eslint.js', args: ['.', '--max-warnings', '0'] },
];

/** Build, types and lint count as tests of their own. */
async function runChecks(selected) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, script, args } of selected) {
    const startedAt = performance.now();
    const problem = await run(process.execPath, [path.join(root, script), ...args], { cwd: root }).then(() => undefined, (error) => error.message);
    say(`  ${problem === undefined ? 'ok     ' : 'FAILED '}  ${name}, ${seconds(startedAt)}${problem === undefined ? '' : `\n${problem}`}`);
    total[problem === undefined ? 'passed' : 'failed'] += 1;
  }
  return total;
}

const seconds = (startedAt) => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;

async function main() {
  const names = ['checks', ...suites.map((suite) => suite.name)];
  const unknown = chosen.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`There is no suite “${unknown}”. There are: ${names.join(', ')}.`);
  await ensureDependencies(say);

  const total = { passed: 0, failed: 0, skipped: 0 };
  const add = (name, startedAt, counts) => {
    for (const key of Object.keys(total)) total[key] += counts[key];
    say(`${name}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped, ${seconds(startedAt)}${counts.note === undefined ? '' : ` (${counts.note})`}\n`);
  };
  const isChosen = (name) => chosen.length === 0 || chosen.includes(name);

  // Every suite may use what the build makes.
  add('checks', performance.now(), await runChecks(isChosen('checks') ? checks : checks.slice(0, 1)));

  const env = { ...process.env, ACP_HOST_TEST_RUN: randomUUID(), ACP_HOST_TEST_CHROMIUM: await findChromium() };
  for (const suite of suites.filter(({ name }) => isChosen(name))) {
    const startedAt = performance.now();
    const missing = (await Promise.all(suite.needs.map((need) => need.missing()))).filter((one) => one !== undefined);
    if (missing.length === 0) add(suite.name, startedAt, await runSuite(suite, env));
    else add(suite.name, startedAt, { passed: 0, failed: inCi ? 1 : 0, skipped: inCi ? 0 : (await testFilesOf(suite)).length, note: `not run; to enable it: ${missing.join('; ')}` });
  }
  say(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  return total.failed === 0 ? 0 : 1;
}

for (const name of ['SIGINT', 'SIGTERM']) {
  process.once(name, () => void endRunning().then(() => process.exit(130)));
}

try {
  process.exitCode = await main();
} catch (error) {
  say(error.message);
  say('0 passed, 1 failed, 0 skipped');
  process.exitCode = 1;
}
