/** Which tests belong to a source. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { root } from './dependencies.mjs';

const rooms = Object.keys(JSON.parse(readFileSync(path.join(root, 'src/rooms.json'), 'utf8')));

/** Tests of a built program import none of its sources. */
export const testsOfPrograms = Object.entries({
  'src/cli': ['cli/text', 'cli/exitCodes'],
  'src/webview/composer': ['webview/composer', 'webview/mentions'],
  'src/webview/markdown': ['webview/markdown'],
  'src/webview/prompts': ['webview/prompts', 'webview/formPrompts'],
  'src/webview/traffic': ['webview/traffic'],
  'src/webview/transcript': ['webview/toolCards', 'webview/find'],
  'src/webview': ['webview/conversation'],
  media: ['webview/conversation'],
});

/** @type {ReturnType<typeof readImporters> | undefined} */
let reading;

/**
 * A test belongs to a file if it imports it, directly, through other files of the test folder, or through files of the same room; if it is in
 * the folder of test/ that has the name of the room; or if it is known to test the program. Types don't count, because the compiler tests
 * them.
 * @param {readonly string[]} sources files or folders, from the project's folder
 * @param {readonly string[]} tests all of them
 * @returns {Promise<readonly (readonly string[])[]>} the tests that belong to each source, nearest first
 */
export async function testsOf(sources, tests) {
  // Once, because it takes a second.
  reading ??= readImporters(tests);
  const importers = await reading;
  return sources.map((source) => {
    const room = roomOf(source);
    const isOfRoom = (/** @type {string} */ file) => isIn(`test/${room}`, file);
    /** @type {Set<string>} */
    const reached = new Set();
    let nearest = [...importers.keys()].filter((file) => isIn(source, file));
    while (nearest.length > 0) {
      for (const file of nearest) reached.add(file);
      const next = new Set(nearest.flatMap((file) => [...(importers.get(file) ?? [])].filter((importer) => leadsTo(importer, file))));
      // Among those that are equally near, the tests of the room come first.
      nearest = [...next].filter((file) => !reached.has(file)).sort((a, b) => Number(isOfRoom(b)) - Number(isOfRoom(a)));
    }
    const known = testsOfPrograms
      .filter(([program]) => isIn(program, source))
      .flatMap(([, names]) => names.map((name) => `test/${name}.test.ts`));
    const isDivided = rooms.some((one) => one.startsWith(`${room}/`));
    const ofRoom = isDivided ? [] : tests.filter(isOfRoom);
    return [...new Set([...reached, ...ofRoom, ...known])].filter((file) => tests.includes(file));
  });
}

/**
 * @param {readonly string[]} tests
 * @returns {Promise<ReadonlyMap<string, ReadonlySet<string>>>} by each file of the project that a test loads: the files that import it
 */
async function readImporters(tests) {
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    // A single bundle takes the least time.
    stdin: { contents: tests.map((file) => `import './${file}';`).join('\n'), resolveDir: root },
    bundle: true,
    write: false,
    metafile: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    jsx: 'automatic',
    outdir: 'out',
    logLevel: 'error',
  });
  /** @type {Map<string, Set<string>>} */
  const importers = new Map(tests.map((file) => [file, new Set()]));
  for (const [importer, { imports }] of Object.entries(metafile.inputs)) {
    for (const { path: file, external } of imports) {
      if (external !== true && importer !== '<stdin>') importers.set(file, (importers.get(file) ?? new Set()).add(importer));
    }
  }
  return importers;
}

/**
 * @param {string} importer
 * @param {string} file
 */
const leadsTo = (importer, file) => importer.startsWith('test/') || roomOf(importer) === roomOf(file);

/** @param {string} file */
function roomOf(file) {
  const around = rooms.filter((room) => isIn(`src/${room}`, file));
  // The longest is the innermost.
  return around.sort((a, b) => b.length - a.length)[0] ?? path.posix.dirname(file);
}

/**
 * @param {string} place
 * @param {string} file
 */
const isIn = (place, file) => file === place || file.startsWith(`${place}/`);
