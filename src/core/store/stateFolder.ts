import path from 'node:path';
import { homeFolder } from '../node/homeFolder.js';

/**
 * Where a user's conversations are saved, for every front end. `ACP_HOST_STATE` overrides the platform's default. It is the same folder
 * wherever a front end was started: a relative path is one in the home folder, and `~`, which no shell replaces in a settings file, is
 * that folder.
 * @param given by the user for this run, relative to the current folder; overrides both
 * @throws HostError `usage` if it would be in the home folder and there is none
 */
export function stateFolder(
  given: string | undefined,
  { env, platform }: { readonly env: NodeJS.ProcessEnv; readonly platform: NodeJS.Platform },
): string {
  if (given !== undefined) return /^~(?:$|[\\/])/.test(given) ? inHome(given) : path.resolve(given);
  if (env['ACP_HOST_STATE']) return inHome(env['ACP_HOST_STATE']);
  // The specification of XDG_STATE_HOME says that a relative path is to be ignored.
  const named = platform === 'win32' ? env['LOCALAPPDATA'] : platform === 'darwin' ? undefined : env['XDG_STATE_HOME'];
  return path.join(named !== undefined && path.isAbsolute(named) ? named : inHome(defaultIn[platform] ?? '.local/state'), 'acp-host');
}

const defaultIn: Partial<Readonly<Record<NodeJS.Platform, string>>> = {
  win32: 'AppData/Local',
  darwin: 'Library/Application Support',
};

function inHome(folder: string): string {
  return path.isAbsolute(folder) ? path.resolve(folder) : path.resolve(homeFolder(), folder.replace(/^~(?:$|[\\/]+)/, ''));
}

/** Exists from the end of a turn that no front end showed until an editor is there. */
export function unseenFile(stateFolder: string): string {
  return path.join(stateFolder, 'unseen');
}

/** The folder of the journals, for callers that need nothing else. */
export function journalFolder(stateFolder: string): string {
  return path.join(stateFolder, 'journals');
}

/** The folder of files that belong to messages, such as pasted pictures. */
export function messageFolder(stateFolder: string): string {
  return path.join(stateFolder, 'messages');
}
