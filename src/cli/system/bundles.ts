import { fileURLToPath } from 'node:url';
import type { BundledLaunch } from '../../core/index.js';

/** Bundles are next to the bundled program; from source, both run through tsx. */
export function launchBundle(bundle: string): BundledLaunch {
  const isSource = import.meta.url.endsWith('.ts');
  const script = fileURLToPath(new URL(isSource ? `../../${bundle}/main.ts` : `./${bundle}.js`, import.meta.url));
  const loader = isSource ? ['--import', import.meta.resolve('tsx')] : [];
  return { command: process.execPath, args: [...loader, script], env: {} };
}
