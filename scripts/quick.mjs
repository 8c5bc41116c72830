/** `npm test -- quick`: what belongs to the files that changed since main. */
import { run } from './processes.mjs';
import { only, selectAll } from './suites.mjs';

/** They read the whole tree. */
const always = ['test/tidy.test.ts', 'test/tidySeam.test.ts'];

/**
 * @param {string} folder of a repository
 * @returns {Promise<readonly string[]>} all files that differ from where this branch left main, also new ones; without those that are gone
 */
export async function changedFiles(folder) {
  const git = (/** @type {string[]} */ ...args) => run('git', args, { cwd: folder });
  const base = await git('merge-base', 'HEAD', 'main').catch(() => git('merge-base', 'HEAD', 'origin/main'));
  const changed = await git('diff', '--name-only', '--no-renames', '--diff-filter=d', '-z', base.trim());
  const added = await git('ls-files', '--others', '--exclude-standard', '-z');
  return (changed + added).split('\0').filter((file) => file !== '');
}

/**
 * @param {readonly string[]} changed
 * @returns {Promise<{selected: readonly import('./suites.mjs').Selected[], notes: readonly string[]}>} the tests nearest to the changes, as
 *   many as fit into a minute, and what is left out, for people
 */
export async function selectQuick(changed) {
  // Must not be imported before the dependencies are installed.
  const { testsOf } = await import('./testGraph.mjs');
  const all = await selectAll();
  const lists = await testsOf(
    changed,
    all.flatMap(({ files }) => files),
  );
  const nearest = [...new Set(inTurn(lists))];
  const chosen = new Set(always);
  const leftOut = all.flatMap(({ suite, files }) => {
    const belonging = nearest.filter((file) => files.includes(file));
    for (const file of belonging.slice(0, suite.quickFiles)) chosen.add(file);
    const count = belonging.filter((file) => !chosen.has(file)).length;
    return count === 0 ? [] : [`${count} of ${suite.name}`];
  });
  const never = all.filter(({ suite }) => suite.quickFiles === 0).map(({ suite }) => suite.name);
  const untested = changed.filter((_, index) => lists[index]?.length === 0);
  return {
    selected: only(all, (file) => chosen.has(file)),
    notes: [
      `Changed since main: ${changed.length} files. quick runs nothing of ${never.join(', ')}, and does not look for unused code.`,
      ...(leftOut.length > 0
        ? [`Test files that belong to the changes and are not run: ${leftOut.join(', ')}. To run them, name a path or the suite.`]
        : []),
      ...(untested.length > 0 ? [`Without tests of their own: ${untested.join(', ')}.`] : []),
    ],
  };
}

/**
 * @template T
 * @param {readonly (readonly T[])[]} lists
 * @returns {T[]} the first of each, then the second of each, and so on
 */
function inTurn(lists) {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat();
}
