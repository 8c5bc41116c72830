import { fileURLToPath } from 'node:url';
import type { DemoAgentLaunch } from '../../core/index.js';

/** The bundled demo agent lies next to the bundled program; from source, both run through tsx. */
export function demoAgentLaunch(): DemoAgentLaunch {
  const isSource = import.meta.url.endsWith('.ts');
  const script = fileURLToPath(new URL(isSource ? '../../demo-agent/main.ts' : './demo-agent.js', import.meta.url));
  const loader = isSource ? ['--import', import.meta.resolve('tsx')] : [];
  return { command: process.execPath, args: [...loader, script], env: {} };
}
