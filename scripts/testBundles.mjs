/**
 * Bundles each test file with all of our modules that it imports into one script: loading five hundred TypeScript modules one by one takes
 * a second of processor time per file, and there are two hundred files. A test that is run alone (`node --import tsx --test FILE`) needs no
 * bundle.
 */
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import { root } from './dependencies.mjs';

const bundles = path.join(root, 'out/tests');

/** These start programs next to them in dist, which was built before. That is faster than from source, as they do outside a bundle. */
const besidePrograms = ['src/core/process/watchdog.ts', 'src/core/engine/engineAccess.ts', 'src/cli/system/ownPackage.ts'].map((file) =>
  path.join(root, file),
);

/** Programs that tests start as separate processes. */
const programs = [
  'backends/parrotMain',
  'core/link/engineProgram',
  'core/link/intruder',
  'core/link/racer',
  'core/node/lockUser',
  'core/process/hostProcess',
  'core/services/changes/killedProgram',
];

/**
 * In CI, each property test tries the same values every time, so that a change is judged by what it changes. Elsewhere they are random, which
 * finds what nobody has thought of.
 */
const seed = process.env.CI === 'true' ? 'fc.configureGlobal({ seed: 20261126 });' : '';

/** Large packages that every test would load from many files. Other packages stay external. */
const bundledPackages = /^(?:zod|fast-check|pure-rand|diff|p-retry|preact|@preact\/signals)(?:$|\/)/;

/**
 * Every module keeps its own location, by which tests find their fixtures and programs.
 * @type {esbuild.Plugin}
 */
const modulesKnowTheirPlace = {
  name: 'places',
  setup(build) {
    // The editor is not available; a test that runs alone gets the same fake by tsconfig.json.
    build.onResolve({ filter: /^vscode$/ }, () => ({ path: path.join(root, 'test/fakes/vscodeFake.ts') }));
    build.onResolve({ filter: /^[^./]/ }, ({ path: name, kind }) =>
      kind === 'entry-point' || bundledPackages.test(name) ? undefined : { path: name, external: true },
    );
    build.onLoad({ filter: /\.(?:ts|tsx|mjs)$/ }, async ({ path: file }) => {
      if (file.includes('node_modules')) return undefined;
      const text = await readFile(file, 'utf8');
      const place = besidePrograms.includes(file) ? path.join(root, 'dist/index.js') : file;
      const names = { urlOfModule: pathToFileURL(place).href, folderOfModule: path.dirname(file), pathOfModule: file };
      const constants = Object.entries(names).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`);
      if (text.includes("import fc from 'fast-check';")) constants.push(seed);
      // On the same line as before, so that line numbers don't change.
      return { contents: `${constants.join(' ')} ${text}`, loader: file.endsWith('x') ? 'tsx' : file.endsWith('.ts') ? 'ts' : 'js' };
    });
  },
};

/**
 * @param {string} name of what is bundled: bundles of other names stay as they are
 * @param {readonly string[]} files from the project's folder
 * @returns {Promise<{scripts: readonly string[], folder: string}>} the scripts, in the same order, and the folder in which they are in the
 *   same places as their sources in the project
 */
export async function bundleTests(name, files) {
  const folder = path.join(bundles, name);
  await rm(folder, { recursive: true, force: true });
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: [...files, ...programs.map((program) => `test/${program}.ts`)],
    outdir: folder,
    outbase: root,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    sourcemap: 'linked',
    // Node reads each map when it loads the script.
    sourcesContent: false,
    logLevel: 'warning',
    // The fake of the editor has what tests need.
    logOverride: { 'import-is-undefined': 'silent' },
    define: {
      'import.meta.url': 'urlOfModule',
      'import.meta.dirname': 'folderOfModule',
      'import.meta.filename': 'pathOfModule',
    },
    plugins: [modulesKnowTheirPlace],
  });
  return { scripts: files.map((file) => path.join(folder, file.replace(/\.ts$/, '.mjs'))), folder };
}

/**
 * @param {string} file as the test runner names it
 * @returns {string} the test file of a script that this created
 */
export function sourceOfBundle(file) {
  const [bundle = '', ...name] = path.relative(bundles, file).split(path.sep);
  return bundle === '..' ? file : path.join(root, ...name).replace(/\.mjs$/, '.ts');
}
