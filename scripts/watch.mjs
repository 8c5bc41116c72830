/** `npm run watch`: builds the bundles and checks types, again after each change, until Ctrl+C. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { ensureDependencies, root } from './dependencies.mjs';

await ensureDependencies(console.log);
const compiler = path.join(root, 'node_modules/native-typescript/bin/tsc');
const types = spawn(process.execPath, [compiler, '-b', '--watch', '--preserveWatchOutput'], { cwd: root, stdio: 'inherit' });
process.once('exit', () => types.kill());
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(name, () => process.exit());
// Must not be imported before the dependencies are installed.
const { watch } = await import('../esbuild.mjs');
await watch();
