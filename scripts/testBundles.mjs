/**
 * Test files with everything of ours that they import, each as one script: loading half a thousand modules of TypeScript one by one takes a second of
 * a core per file, and there are two hundred. A test that is run by itself (`node --import tsx --test FILE`) needs none of it.
 */
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import { root } from './dependencies.mjs';

/** Each script lies in it as its source lies in the project. */
export const folder = path.join(root, 'out/tests');

/** They start programs that lie beside them in dist, which was built before: quicker than from source, as they do it outside of a bundle. */
const besidePrograms = ['src/core/process/watchdog.ts', 'src/cli/system/bundles.ts'].map((file) => path.join(root, file));

/** They run in processes of their own, started by tests. */
const programs = ['backends/parrotMain', 'core/journal/journalWriterProcess', 'core/process/hostProcess', 'core/store/otherProcess'];

/** Large packages that every test would load from many files. What is not here stays where it is. */
const bundledPackages = /^(?:zod|fast-check|pure-rand|diff|p-retry|preact|@preact\/signals)(?:$|\/)/;

/**
 * Each module goes on knowing where it is: tests find their fixtures and programs by that.
 * @type {esbuild.Plugin}
 */
const modulesKnowTheirPlace = {
  name: 'places',
  setup(build) {
    // The editor is not there; a test that runs by itself gets the same fake from the loader.
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
      // On the line that was the first one: lines keep their numbers.
      return { contents: `${constants.join(' ')} ${text}`, loader: file.endsWith('x') ? 'tsx' : file.endsWith('.ts') ? 'ts' : 'js' };
    });
  },
};

/**
 * @param {readonly string[]} files from the project's folder
 * @returns {Promise<readonly string[]>} the scripts, in the same order
 */
export async function bundleTests(files) {
  await rm(folder, { recursive: true, force: true });
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: [...files, ...programs.map((name) => `test/${name}.ts`)],
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
    logLevel: 'warning',
    define: {
      'import.meta.url': 'urlOfModule',
      'import.meta.dirname': 'folderOfModule',
      'import.meta.filename': 'pathOfModule',
    },
    plugins: [modulesKnowTheirPlace],
  });
  return files.map((file) => path.join(folder, file.replace(/\.ts$/, '.mjs')));
}

/** @param {string} file as the test runner names it @returns {string} the test file of a script that was made here */
export function sourceOfBundle(file) {
  const name = path.relative(folder, file);
  return name.startsWith('..') ? file : path.join(root, name.replace(/\.mjs$/, '.ts'));
}
