import { fileURLToPath } from 'node:url';
import { type AgentHostOptions, type BundledLaunch, parseJson, textMember } from '../../core/index.js';
import { readTextSync } from './files.js';

/** Relative to the bundle (`dist/cli.js`) and to this source file. */
const candidates = ['../package.json', '../../../package.json'];

/** The version of the package that this file belongs to. */
export function packageVersion(): string {
  for (const candidate of candidates) {
    const version = textMember(parseJson(readTextSync(new URL(candidate, import.meta.url)) ?? ''), 'version');
    if (version !== undefined) return version;
  }
  throw new Error('package.json of acp-host was not found next to its program');
}

/** How the command line introduces itself to an agent. */
export function clientInfo(): AgentHostOptions['clientInfo'] {
  return { name: 'acp-host-cli', title: 'ACP Host (command line)', version: packageVersion() };
}

/** Bundles are next to the bundled program; from source, both run through tsx. */
export function launchBundle(bundle: string): BundledLaunch {
  const isSource = import.meta.url.endsWith('.ts');
  const script = fileURLToPath(new URL(isSource ? `../../${bundle}/main.ts` : `./${bundle}.js`, import.meta.url));
  const loader = isSource ? ['--import', import.meta.resolve('tsx')] : [];
  return { command: process.execPath, args: [...loader, script], env: {} };
}
