/**
 * Packages the last build as an extension. `node scripts/package.mjs [FILE]` builds first; the default is `acp-host-VERSION.vsix` in the
 * project's folder.
 */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import vsce from '@vscode/vsce';
import { build } from '../esbuild.mjs';
import { root } from './dependencies.mjs';
import { runNpm } from './processes.mjs';

/** Only in the npm package, because the editor does not need the library. */
const libraryFile = /^dist\/(types\/|index\.js$)/;

/**
 * Removes the images that are not in the package, so that the editor shows no broken ones.
 * @param {string} markdown
 * @param {ReadonlySet<string>} packed paths in the package
 */
export function withoutMissingImages(markdown, packed) {
  return markdown.replaceAll(/^!\[[^\]]*\]\(([^)]*)\)\n+/gm, (image, file) => (packed.has(file) ? image : ''));
}

/**
 * The bundles contain everything that they need, so no dependency is packaged. `files` in package.json lists what is. This packages a copy,
 * because vsce walks the whole folder, which takes seconds with dependencies and a workbench in it.
 * @param {string} file where the package goes, absolute
 */
export async function packageExtension(file) {
  await mkdir(path.join(root, 'out'), { recursive: true });
  const staging = await mkdtemp(path.join(root, 'out/package-'));
  try {
    /** @type {[{files: {path: string}[]}]} */
    const [{ files }] = JSON.parse(await runNpm(['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root }));
    await Promise.all(
      files.filter((one) => !libraryFile.test(one.path)).map((one) => cp(path.join(root, one.path), path.join(staging, one.path))),
    );
    const readme = await readFile(path.join(root, 'README.md'), 'utf8');
    await writeFile(path.join(staging, 'README.md'), withoutMissingImages(readme, new Set(files.map((one) => one.path))));
    const { scripts, devDependencies, ...manifest } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
    await writeFile(path.join(staging, 'package.json'), JSON.stringify({ ...manifest, files: ['**'] }, null, 2));
    await vsce.createVSIX({
      cwd: staging,
      packagePath: file,
      dependencies: false,
      allowMissingRepository: true,
      rewriteRelativeLinks: false,
    });
  } finally {
    await rm(staging, { recursive: true });
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { name, version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
  await build();
  await packageExtension(path.resolve(process.argv[2] ?? path.join(root, `${name}-${version}.vsix`)));
}
