import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { type Disposable, toDisposable } from '../base/disposable.js';
import { HostError } from '../base/errors.js';
import { parseJson } from '../base/parseJson.js';
import { underLock } from '../node/privateFiles.js';
import { lifeOf, markOfThisProcess } from '../node/processAlive.js';
import { createSmallFile, readSmallFile, removeSmallFile, replaceSmallFile } from '../node/smallFiles.js';

const schema = z.object({ pid: z.number(), startedAt: z.optional(z.string()), host: z.string() });

/**
 * Makes sure that one process at a time installs or removes an agent. The lock of a process that died is taken over.
 * @param file that names the process; exists only meanwhile
 * @throws HostError `install_failed`; the system's error
 */
export async function takeInstallLock(file: string): Promise<Disposable> {
  // Two installations of one process are told apart by the ID.
  const own = JSON.stringify({ ...(await markOfThisProcess()), id: randomUUID() });
  if (!createSmallFile(file, own)) {
    const text = readSmallFile(file)?.text ?? '';
    const holder = schema.safeParse(parseJson(text));
    const isTaken = (holder.success && (await lifeOf(holder.data)) !== 'gone') || !takeOver(file, text, own);
    if (isTaken)
      throw new HostError('install_failed', { reason: 'busy', ...(holder.success && { pid: holder.data.pid, host: holder.data.host }) });
  }
  return toDisposable(() => {
    if (readSmallFile(file)?.text === own) removeSmallFile(file);
  });
}

/** Of those that found the same process dead, one succeeds. */
function takeOver(file: string, before: string, own: string): boolean {
  return underLock(`${file}.taking`, () => {
    if ((readSmallFile(file)?.text ?? '') !== before) return false;
    replaceSmallFile(file, own);
    return true;
  });
}
