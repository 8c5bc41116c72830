/** Packs dist and media into an extension package. `node scripts/package.mjs [FILE]`, default `acp-host-VERSION.vsix` in the project's folder. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createVSIX } from '@vscode/vsce';
import { build } from '../esbuild.mjs';
import { root } from './dependencies.mjs';

/** Packs what the last build made. The bundles hold everything they need, so no dependency is packed. */
export async function packageExtension(file) {
  await createVSIX({ cwd: root, packagePath: file, dependencies: false, allowMissingRepository: true, rewriteRelativeLinks: false });
  return file;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { name, version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
  await build();
  await packageExtension(path.resolve(process.argv[2] ?? path.join(root, `${name}-${version}.vsix`)));
}
