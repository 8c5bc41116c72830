/**
 * Builds everything in the package from the same source tree:
 *
 *   dist/extension.cjs   what activation loads: small, without the host core
 *   dist/host.cjs        the host core, loaded at the user's first action
 *   dist/webview/        the pages: page.js and its chunks, traffic.js, the icon font
 *   dist/cli.js          the command line: what every command needs; dist/cli-HASH.js: what only some commands load
 *   dist/demo-agent.js   the agent without a model; dist/index.js: the library
 *   dist/engine.mjs      the engine: it has the conversations and their agents
 *   dist/watchdog.cjs    the program that ends the agents of a host that was killed
 *
 * `node esbuild.mjs` builds once, `node esbuild.mjs --watch` again after each change. esbuild's metafiles of each build are in out/meta.
 */
import { chmod, cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';

const root = path.dirname(fileURLToPath(import.meta.url));

/**
 * The extension imports `./compose.js` lazily, which is a separate bundle in the package.
 * @type {esbuild.Plugin}
 */
const hostIsItsOwnBundle = {
  name: 'host-bundle',
  setup(build) {
    build.onResolve({ filter: /\/compose\.js$/ }, () => ({ path: './host.cjs', external: true }));
  },
};

/** vscode-jsonrpc is CommonJS and requires Node's modules, but an ES module has no `require`. */
const requireForEsm = `import { createRequire as createRequireOfNode } from 'node:module';\nconst require = createRequireOfNode(import.meta.url);`;

/** @satisfies {esbuild.BuildOptions} */
const common = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
};
/** @satisfies {esbuild.BuildOptions} */
const node = { ...common, platform: 'node', target: 'node20' };
/** @satisfies {esbuild.BuildOptions} */
const nodeEsm = { ...node, format: 'esm', banner: { js: requireForEsm } };
// `import()` of a CommonJS bundle becomes `require()`, so that the editor's loader handles a single module system.
/** @satisfies {esbuild.BuildOptions} */
const nodeCjs = { ...node, format: 'cjs', supported: { 'dynamic-import': false } };

/** @satisfies {esbuild.BuildOptions} */
const page = {
  ...common,
  outdir: 'dist/webview',
  platform: 'browser',
  target: 'es2022',
  format: 'esm',
  splitting: true,
  chunkNames: '[name]-[hash]',
  jsx: 'automatic',
  jsxImportSource: 'preact',
};

/**
 * Each bundle is one program with its own entry point.
 * @type {Record<string, esbuild.BuildOptions>}
 */
const bundles = {
  extension: {
    ...nodeCjs,
    entryPoints: ['src/extension/extension.ts'],
    outfile: 'dist/extension.cjs',
    external: ['vscode'],
    plugins: [hostIsItsOwnBundle],
  },
  host: {
    ...nodeCjs,
    entryPoints: ['src/extension/compose.ts'],
    outfile: 'dist/host.cjs',
    external: ['vscode'],
    // A CommonJS module has no `import.meta`; the core finds the watchdog next to its own bundle.
    define: { 'import.meta.url': 'urlOfBundle' },
    banner: { js: `const urlOfBundle = require('node:url').pathToFileURL(__filename).href;` },
  },
  // As an ES module, it takes 5 of 64 MB less when it is idle. One file, which needs no other when the editor has removed this version.
  engine: { ...nodeEsm, entryPoints: ['src/core/engine/engineMain.ts'], outfile: 'dist/engine.mjs' },
  watchdog: { ...nodeCjs, entryPoints: ['src/core/process/watchdogMain.ts'], outfile: 'dist/watchdog.cjs' },
  // Two builds: with chunks that both pages share, the chat would load two files and 1.3 KB more.
  webview: { ...page, entryPoints: { page: 'src/webview/page.tsx' } },
  traffic: { ...page, entryPoints: { traffic: 'src/webview/trafficPage.tsx' } },
  // Node parses a script completely before it starts, which takes a sixth of a short command.
  cli: {
    ...nodeEsm,
    entryPoints: { cli: 'src/cli/main.ts' },
    outdir: 'dist',
    splitting: true,
    chunkNames: 'cli-[hash]',
    banner: { js: `#!/usr/bin/env node\n${requireForEsm}` },
  },
  'demo-agent': { ...nodeEsm, entryPoints: ['src/demo-agent/main.ts'], outfile: 'dist/demo-agent.js' },
  library: { ...nodeEsm, entryPoints: ['src/core/index.ts'], outfile: 'dist/index.js' },
};

async function copyAssets() {
  const icons = path.join(root, 'node_modules/@vscode/codicons/dist');
  const target = path.join(root, 'dist/webview');
  await mkdir(target, { recursive: true });
  for (const name of ['codicon.css', 'codicon.ttf']) await cp(path.join(icons, name), path.join(target, name));
}

/**
 * @param {string} name
 * @param {esbuild.Metafile} metafile
 */
async function writeMetafile(name, metafile) {
  const folder = path.join(root, 'out/meta');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, `${name}.json`), JSON.stringify(metafile));
}

/**
 * Names of chunks contain hashes, so those of earlier builds would accumulate and be packaged.
 * @param {string} folder
 * @param {RegExp} ours the names of this bundle's files
 * @param {esbuild.Metafile} metafile
 */
async function removeStaleChunks(folder, ours, metafile) {
  const current = new Set(Object.keys(metafile.outputs).map((output) => path.basename(output)));
  for (const name of await readdir(path.join(root, folder))) {
    if (ours.test(name) && !current.has(name)) await rm(path.join(root, folder, name));
  }
}

/**
 * @param {string} name
 * @param {esbuild.Metafile} metafile
 */
async function finish(name, metafile) {
  await writeMetafile(name, metafile);
  if (name === 'webview') await removeStaleChunks('dist/webview', /-\w+\.js(?:\.map)?$/, metafile);
  if (name !== 'cli') return;
  await removeStaleChunks('dist', /^cli-.*\.js(?:\.map)?$/, metafile);
  await chmod(path.join(root, 'dist/cli.js'), 0o755);
}

/**
 * @param {string} name
 * @param {esbuild.BuildOptions} options
 */
async function buildOne(name, options) {
  const { metafile } = await esbuild.build({ ...options, metafile: true });
  await finish(name, metafile);
}

/**
 * Builds everything once.
 * @throws if a bundle does not build; esbuild has printed the reason
 */
export async function build() {
  await copyAssets();
  const settled = await Promise.allSettled(Object.entries(bundles).map(([name, options]) => buildOne(name, options)));
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** Builds everything after each change. Not minified, so that a debugger shows the names of the sources. */
export async function watch() {
  await copyAssets();
  let building = 0;
  let errorCount = 0;
  /** @type {(name: string) => esbuild.Plugin} .vscode/tasks.json waits for these lines. */
  const report = (name) => ({
    name: 'report',
    setup(build) {
      build.onStart(() => {
        if (building === 0) console.log('Building …');
        building += 1;
      });
      build.onEnd(async ({ errors, metafile }) => {
        if (metafile !== undefined) await finish(name, metafile);
        errorCount += errors.length;
        building -= 1;
        if (building > 0) return;
        console.log(errorCount === 0 ? 'Built.' : `Not built: ${errorCount} errors.`);
        errorCount = 0;
      });
    },
  });
  const contexts = await Promise.all(
    Object.entries(bundles).map(([name, options]) => {
      // The developer tools of a webview can load neither a map nor the sources from the disk.
      const forPages = options.platform === 'browser' && { sourcemap: /** @type {const} */ ('inline'), sourcesContent: true };
      const plugins = [...(options.plugins ?? []), report(name)];
      return esbuild.context({ ...options, ...forPages, minify: false, metafile: true, plugins });
    }),
  );
  await Promise.all(contexts.map((context) => context.watch()));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    await (process.argv.includes('--watch') ? watch() : build());
  } catch (error) {
    // esbuild has already printed compile errors.
    if (!(error instanceof Error && 'errors' in error)) console.error(error);
    process.exitCode = 1;
  }
}
