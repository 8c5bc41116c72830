/** `npm run bench -- NAME [--json FILE]`: builds, then runs test/bench/NAME.ts. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { build } from '../../esbuild.mjs';

const names = ['activation', 'backends', 'page', 'recovery', 'wire'];
const [name = '', ...args] = process.argv.slice(2);

if (names.includes(name)) {
  await build();
  const bench = spawn(process.execPath, ['--import', 'tsx', path.join(import.meta.dirname, `${name}.ts`), ...args], { stdio: 'inherit' });
  bench.once('close', (code) => {
    process.exitCode = code ?? 1;
  });
} else {
  console.error(`Usage: npm run bench -- ${names.join('|')} [--json FILE]`);
  process.exitCode = 2;
}
