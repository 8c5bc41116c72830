/** The command line and the demo agent as in the package, so that they start quickly. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** The folder with `dist`: that of the project if the runner has just built it, otherwise one for this process. */
const folder = process.env['ACP_HOST_TEST_PROGRAMS'] ?? (await buildPrograms());

/** Absolute paths. */
export const cliProgram = path.join(folder, 'dist/cli.js');
export const demoAgentProgram = path.join(folder, 'dist/demo-agent.js');

async function buildPrograms(): Promise<string> {
  const made = mkdtempSync(path.join(tmpdir(), 'acp-host-programs-'));
  process.once('exit', () => rmSync(made, { recursive: true, force: true }));

  copyFileSync(path.join(root, 'package.json'), path.join(made, 'package.json'));
  const common = {
    absWorkingDir: root,
    outdir: path.join(made, 'dist'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  } as const;
  // vscode-jsonrpc is CommonJS and requires Node's modules; an ES module has no `require` of its own.
  const js = `import { createRequire as createRequireOfNode } from 'node:module';\nconst require = createRequireOfNode(import.meta.url);`;
  const esm = { ...common, format: 'esm', banner: { js } } as const;
  const programs = { cli: 'src/cli/main.ts', 'demo-agent': 'src/demo-agent/main.ts' };
  await build({ ...esm, entryPoints: programs, sourcemap: 'inline' });
  await build({ ...esm, entryPoints: { engine: 'src/core/engine/engineMain.ts' }, outExtension: { '.js': '.mjs' } });
  const watchdog = { watchdog: 'src/core/process/watchdogMain.ts' };
  await build({ ...common, format: 'cjs', entryPoints: watchdog, outExtension: { '.js': '.cjs' } });
  return made;
}
