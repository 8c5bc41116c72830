import { homedir } from 'node:os';
import path from 'node:path';

/** Where the command line keeps what it remembers; `ACP_HOST_STATE` overrides the platform's own place. */
export function stateFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (env['ACP_HOST_STATE']) return path.resolve(env['ACP_HOST_STATE']);
  if (platform === 'win32') return path.join(env['LOCALAPPDATA'] ?? path.join(homedir(), 'AppData', 'Local'), 'acp-host');
  if (platform === 'darwin') return path.join(homedir(), 'Library', 'Application Support', 'acp-host');
  return path.join(env['XDG_STATE_HOME'] || path.join(homedir(), '.local', 'state'), 'acp-host');
}
