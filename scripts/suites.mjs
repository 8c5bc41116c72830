/** The test suites, and which of their files a command line selects. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { root } from './dependencies.mjs';
import { chromium, executable, workbench } from './prerequisites.mjs';

/**
 * @typedef {object} Suite
 * @property {string} name
 * @property {readonly string[]} [folders] below test/; absent: every folder that no other suite has
 * @property {readonly import('./prerequisites.mjs').Need[]} needs
 * @property {boolean} [packaged] its tests install the packaged extension
 * @property {number} fileTimeoutMs bounds one test file, so that nothing hangs
 * @property {readonly string[]} [startFirst] files that take long, below test/ without their ending: at the end, nothing waits for them alone
 * @property {number} atOnce files that run at the same time: on two cores more than two where tests wait more than they work
 * @property {number} quickFiles how many of its files `quick` runs at most, so that it takes about a minute; 0 where a single file takes that long
 *
 * @typedef {object} Selected
 * @property {Suite} suite
 * @property {readonly string[]} files from the project's folder, with slashes, in the order in which they start
 */

/** @type {readonly Suite[]} */
export const suites = [
  {
    name: 'unit',
    needs: [],
    startFirst: [
      'backends/pi.conformance',
      'core/conversation/conversation',
      'backends/acp.conformance',
      'bench/package',
      'core/process/watchdog',
    ],
    // Their processes mostly wait for one another: four at once leave a sixth of two cores idle.
    atOnce: 6,
    fileTimeoutMs: 300_000,
    quickFiles: 16,
  },
  // What real agents did, reduced to its cause, against the command line.
  { name: 'cases', folders: ['cases'], needs: [], atOnce: 2, fileTimeoutMs: 300_000, quickFiles: 3 },
  { name: 'faults', folders: ['faults'], needs: [], atOnce: 2, fileTimeoutMs: 900_000, quickFiles: 0 },
  { name: 'chaos', folders: ['chaos'], needs: [], atOnce: 2, fileTimeoutMs: 900_000, quickFiles: 0 },
  {
    name: 'real',
    folders: ['real'],
    needs: [executable('ACP_HOST_TEST_AGENTAO', 'agentao 0.5.17'), executable('ACP_HOST_TEST_AGENTAO_OLD', 'agentao 0.4.20')],
    startFirst: ['real/pi', 'real/servedPi', 'real/realAgents'],
    atOnce: 3,
    // Starts a real agent for each test, two minutes on an idle machine. Each step of a test has a deadline of its own.
    fileTimeoutMs: 600_000,
    quickFiles: 0,
  },
  {
    name: 'page',
    folders: ['webview'],
    needs: [chromium],
    startFirst: ['webview/lowPages', 'webview/look', 'webview/permission', 'webview/selectors', 'webview/widths', 'webview/commandPopup'],
    atOnce: 2,
    fileTimeoutMs: 300_000,
    quickFiles: 3,
  },
  {
    name: 'workbench',
    folders: ['e2e'],
    needs: [chromium, workbench],
    packaged: true,
    startFirst: ['e2e/demoAgent', 'e2e/day', 'e2e/review', 'e2e/conversations', 'e2e/family', 'e2e/agentao'],
    atOnce: 2,
    fileTimeoutMs: 600_000,
    quickFiles: 0,
  },
];

const whatThereIs =
  `The suites are ${['checks', ...suites.map(({ name }) => name)].join(', ')} and quick. ` +
  'A path is a folder or a test below test/, such as core/journal or webview/links, or a source below src/.';

/**
 * @param {Suite} suite
 * @returns {Promise<readonly string[]>}
 */
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
  const files = mine
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .sort((a, b) => path.basename(a).localeCompare(path.basename(b), 'en'));
  const first = (suite.startFirst ?? []).map((name) => `test/${name}.test.ts`);
  const unknown = first.find((file) => !files.includes(file));
  if (unknown !== undefined) throw new Error(`The suite “${suite.name}” has no ${unknown}.`);
  return [...first, ...files.filter((file) => !first.includes(file))];
}

/** Every suite with all of its files. */
export async function selectAll() {
  return Promise.all(suites.map(async (suite) => ({ suite, files: await testFilesOf(suite) })));
}

/**
 * @param {readonly string[]} names suites and paths: a folder below test/, a test file with or without its ending, or a source
 * @returns {Promise<readonly Selected[]>} in the order of the suites, without those of which nothing is selected
 * @throws Error that names everything that is not there
 */
export async function selectTests(names) {
  const all = await selectAll();
  const found = await Promise.all(names.map((name) => testsNamed(name, all)));
  const faults = found.flatMap((one) => (typeof one === 'string' ? [one] : []));
  if (faults.length > 0) throw new Error([...faults, whatThereIs].join(' '));
  const files = new Set(found.flat());
  return only(all, (file) => files.has(file));
}

/**
 * @param {readonly Selected[]} selected
 * @param {(file: string, suite: Suite) => boolean} isWanted
 */
export function only(selected, isWanted) {
  return selected
    .map(({ suite, files }) => ({ suite, files: files.filter((file) => isWanted(file, suite)) }))
    .filter(({ files }) => files.length > 0);
}

/**
 * @param {string} name
 * @param {readonly Selected[]} all
 * @returns {Promise<readonly string[] | string>} test files, or why there are none
 */
async function testsNamed(name, all) {
  const suite = all.find((one) => one.suite.name === name);
  if (suite !== undefined) return suite.files;
  const place = path.relative(root, path.resolve(root, name)).replaceAll('\\', '/');
  const places = [place, `test/${place}`];
  const files = all.flatMap((one) => one.files);
  const found = files.filter((file) => places.some((one) => file === one || file === `${one}.test.ts` || file.startsWith(`${one}/`)));
  if (found.length > 0) return found;
  if (!place.startsWith('src/') || !existsSync(path.join(root, place))) return `There is no suite, test or source “${name}”.`;
  // Must not be imported before the dependencies are installed.
  const { testsOf } = await import('./testGraph.mjs');
  const [nearest = []] = await testsOf([place], files);
  const belonging = only(all, (file, { quickFiles }) => quickFiles > 0 && nearest.includes(file)).flatMap((one) => one.files);
  return belonging.length === 0 ? `No test belongs to ${place} alone.` : belonging;
}
