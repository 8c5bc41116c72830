import path from 'node:path';
import * as z from 'zod/mini';
import { HostError } from '../base/errors.js';
import { parseJson } from '../base/parseJson.js';
import { downloadFile } from '../node/download.js';
import { makeExecutable, makeFolder, moveFile, removeFile } from '../node/files.js';
import { readSmallFile, replaceSmallFile } from '../node/smallFiles.js';
import { unpack } from '../node/unpack.js';
import type { InstalledParts, Installing } from './installAgent.js';
import { agentsFolder } from './installedAgents.js';
import type { BinaryWay } from './registryEntry.js';

/**
 * Downloads a program, checks that it is the published one, and unpacks it.
 * @throws HostError `install_failed`, `cancelled`
 */
export async function installBinary(way: BinaryWay, installing: Installing): Promise<InstalledParts> {
  const { url, kind } = way;
  const { folder, limits, signal, onStep } = installing;
  const download = path.join(folder, 'download');
  const { sha256, bytes } = await downloadFile(url, download, {
    limitBytes: limits.downloadBytes,
    silenceMs: limits.silenceMs,
    signal,
    onProgress: (got, totalBytes) => onStep({ type: 'downloading', bytes: got, totalBytes }),
  });
  await checkHash(way, { sha256, bytes }, installing);
  onStep({ type: 'unpacking' });
  const files = path.join(folder, 'files');
  await makeFolder(files);
  const program = path.posix.join('files', kind === 'raw' ? path.posix.basename(way.program) : way.program);
  if (kind === 'raw') await moveFile(download, path.join(folder, program));
  else await unpack(download, kind, files, { limits: { bytes: limits.unpackedBytes, entries: limits.entries }, signal });
  await removeFile(download);
  await makeExecutable(path.join(folder, program));
  return { program, source: url, sha256 };
}

const agreedSchema = z.record(z.string(), z.string());

/** Without a published hash, the user agrees to the file once; from then on, it has to be the same one. */
async function checkHash(
  { url, sha256: published }: BinaryWay,
  { sha256, bytes }: { readonly sha256: string; readonly bytes: number },
  { stateFolder, consent }: Installing,
): Promise<void> {
  if (published !== undefined) {
    if (published !== sha256) throw new HostError('install_failed', { reason: 'hash_mismatch', url, expected: published, sha256 });
    return;
  }
  const file = path.join(agentsFolder(stateFolder), 'agreed.json');
  const read = (): Readonly<Record<string, string>> => {
    const parsed = agreedSchema.safeParse(parseJson(readSmallFile(file)?.text ?? ''));
    return parsed.success ? parsed.data : {};
  };
  const agreed = read()[url];
  if (agreed === sha256) return;
  if (agreed !== undefined) throw new HostError('install_failed', { reason: 'hash_changed', url, expected: agreed, sha256, path: file });
  if (!(await consent({ type: 'unverified', url, sha256, bytes }))) throw new HostError('cancelled');
  replaceSmallFile(file, JSON.stringify({ ...read(), [url]: sha256 }));
}
