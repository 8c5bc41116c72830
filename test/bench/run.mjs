/**
 * `npm run bench -- NAME [--json FILE]`: builds, then runs test/bench/NAME.ts as a bundle, because bundles are what people run. `paths` counts
 * source files, so it runs them as they are, with a stand-in for the editor.
 */
import { spawn } from 'node:child_process';
import { build } from '../../esbuild.mjs';
import { bundleTests } from '../../scripts/testBundles.mjs';

const names = ['activation', 'backends', 'changes', 'engine', 'page', 'paths', 'recovery', 'services', 'wire'];
const [name = '', ...args] = process.argv.slice(2);

if (names.includes(name)) {
  await build();
  const file = `test/bench/${name}.ts`;
  const scripts = name === 'paths' ? ['--import', 'tsx', file] : (await bundleTests('bench', [file])).scripts;
  const bench = spawn(process.execPath, [...scripts, ...args], { stdio: 'inherit' });
  bench.once('close', (code) => {
    process.exitCode = code ?? 1;
  });
} else {
  console.error(`Usage: npm run bench -- ${names.join('|')} [--json FILE]`);
  process.exitCode = 2;
}
