import { homedir } from 'node:os';
import path from 'node:path';

/**
 * Where a user's conversations are saved, for every front end. `ACP_HOST_STATE` overrides the platform's default.
 * @param given overrides both
 */
export function stateFolder(
  given: string | undefined,
  { env, platform }: { readonly env: NodeJS.ProcessEnv; readonly platform: NodeJS.Platform },
): string {
  if (given !== undefined) return path.resolve(given);
  if (env['ACP_HOST_STATE']) return path.resolve(env['ACP_HOST_STATE']);
  if (platform === 'win32') return path.join(env['LOCALAPPDATA'] ?? path.join(homedir(), 'AppData', 'Local'), 'acp-host');
  if (platform === 'darwin') return path.join(homedir(), 'Library', 'Application Support', 'acp-host');
  return path.join(env['XDG_STATE_HOME'] || path.join(homedir(), '.local', 'state'), 'acp-host');
}

/** The folder of the journals, for callers that need nothing else. */
export function journalFolder(stateFolder: string): string {
  return path.join(stateFolder, 'journal');
}

/** The folder of long message texts. */
export function messageFolder(stateFolder: string): string {
  return path.join(stateFolder, 'messages');
}
