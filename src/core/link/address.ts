/** Where an engine listens: a path that is short, whatever the state folder is called, in a folder that only the user can enter. */
import { createHash, randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { HostError, messageOf } from '../base/errors.js';
import { isPrivateFolder, makePrivateFolder } from '../node/privateFiles.js';
import { realFolderPath } from '../node/smallFiles.js';

/** Systems allow 104 to 108, including the zero at the end. */
const maxPathBytes = 100;

/** @throws HostError `engine_failed` if the folder for sockets can't be trusted or created */
export function newAddress(stateFolder: string, env: NodeJS.ProcessEnv): string {
  const folderHash = createHash('sha256').update(realFolderPath(stateFolder)).digest('hex').slice(0, 10);
  const name = `${folderHash}-${randomBytes(5).toString('hex')}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\acp-host-${name}`;
  return path.join(socketFolder(env, name.length + 1), name);
}

function socketFolder(env: NodeJS.ProcessEnv, nameBytes: number): string {
  const uid = process.getuid?.() ?? 0;
  const runtime = env['XDG_RUNTIME_DIR'];
  const candidates = [
    ...(runtime !== undefined && isTrusted(runtime) ? [path.join(runtime, 'acp-host')] : []),
    path.join(env['TMPDIR'] ?? tmpdir(), `acp-host-${uid}`),
  ];
  const folder =
    candidates.find((one) => path.isAbsolute(one) && Buffer.byteLength(one) + nameBytes < maxPathBytes) ??
    path.join('/tmp', `acp-host-${uid}`);
  let distrust: ReturnType<typeof makePrivateFolder>;
  try {
    distrust = makePrivateFolder(folder);
  } catch (cause) {
    throw new HostError('engine_failed', { reason: 'not_listening', address: folder, detail: messageOf(cause) }, { cause });
  }
  if (distrust !== undefined) throw new HostError('engine_failed', { reason: `unsafe_${distrust}`, path: folder });
  return folder;
}

/** The specification of XDG_RUNTIME_DIR says so; `su` and containers sometimes pass on the folder of another user. */
function isTrusted(folder: string): boolean {
  try {
    return path.isAbsolute(folder) && isPrivateFolder(folder) === undefined;
  } catch {
    return false;
  }
}
