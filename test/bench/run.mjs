/** `npm run bench -- NAME [--json FILE]`: builds, then runs test/bench/NAME.ts as a bundle, because bundles are what people run. */
import { spawn } from 'node:child_process';
import { build } from '../../esbuild.mjs';
import { bundleTests } from '../../scripts/testBundles.mjs';

const names = ['activation', 'backends', 'changes', 'engine', 'page', 'recovery', 'services', 'wire'];
const [name = '', ...args] = process.argv.slice(2);

if (names.includes(name)) {
  await build();
  const { scripts } = await bundleTests('bench', [`test/bench/${name}.ts`]);
  const bench = spawn(process.execPath, [...scripts, ...args], { stdio: 'inherit' });
  bench.once('close', (code) => {
    process.exitCode = code ?? 1;
  });
} else {
  console.error(`Usage: npm run bench -- ${names.join('|')} [--json FILE]`);
  process.exitCode = 2;
}
