/** The file in a state folder that says where its engine listens, and how that engine is reached. */
import { connect, type Socket } from 'node:net';
import { hostname } from 'node:os';
import path from 'node:path';
import * as z from 'zod/mini';
import { HostError, systemFacts } from '../base/errors.js';
import { parseJson } from '../base/parseJson.js';
import { makeFolder, readPrivateFile, underLock } from '../node/privateFiles.js';
import { lifeOf } from '../node/processTree.js';
import { createSmallFile, readSmallFile, removeSmallFile, replaceSmallFile } from '../node/smallFiles.js';

const format = 'acp-host-engine';
const version = 1;

const schema = z.object({
  format: z.literal(format),
  version: z.literal(version),
  linkVersion: z.number(),
  /** Of ACP Host. */
  productVersion: z.string(),
  /** With `startedAt` and `host`, a ProcessMark. */
  pid: z.number(),
  startedAt: z.optional(z.string()),
  host: z.string(),
  /** Of a Unix socket or a named pipe. */
  address: z.string(),
  /** Proves to either end that the other one could read this file; never sent. */
  token: z.string(),
});
/** Which engine has the state folder, as its file says. */
export type PublishedEngine = Omit<z.infer<typeof schema>, 'format' | 'version'>;

const anyVersion = z.object({ format: z.literal(format), version: z.number() });

export interface EngineFile {
  /** Contains a random token, so no other engine writes the same. */
  readonly text: string;
  /** Undefined if the machine lost power before the content was on the disk. */
  readonly facts: PublishedEngine | undefined;
}

export function engineFilePath(stateFolder: string): string {
  return path.join(stateFolder, 'engine.json');
}

export function writeEngineFacts(facts: PublishedEngine): string {
  return `${JSON.stringify({ format, version, ...facts }, undefined, 2)}\n`;
}

const limitBytes = 64 * 1024;

/**
 * @returns undefined if there is no file
 * @throws HostError `engine_failed` if it can't be read, can't be trusted or is not ours; the file stays as it is
 */
export function readEngineFile(file: string): EngineFile | undefined {
  let found: ReturnType<typeof readPrivateFile>;
  try {
    found = readPrivateFile(file, limitBytes);
  } catch (cause) {
    // A file in the place of the folder: nothing can be written there either.
    const facts = systemFacts(cause);
    if (facts.systemCode === 'ENOTDIR') throw unwritable(file, cause);
    throw new HostError('engine_failed', { reason: 'file_unreadable', path: file, ...facts }, { cause });
  }
  if (found === undefined) return undefined;
  if ('distrust' in found) throw new HostError('engine_failed', { reason: `unsafe_${found.distrust}`, path: file });
  const { text } = found;
  if (text.replaceAll('\0', '').trim() === '') return { text, facts: undefined };
  const value = parseJson(text);
  const known = anyVersion.safeParse(value);
  if (known.success && known.data.version > version)
    throw new HostError('engine_failed', { reason: 'file_newer', path: file, version: known.data.version, knownVersion: version });
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new HostError('engine_failed', { reason: 'file_foreign', path: file });
  return { text, facts: parsed.data };
}

/**
 * Creates the folder of the file if it is missing.
 * @throws HostError `engine_failed`, also if it belongs to another user, who could read and replace what is saved there
 */
export function claimStateFolder(file: string): void {
  const folder = path.dirname(file);
  if (writing(file, () => makeFolder(folder) === 'owner'))
    throw new HostError('engine_failed', { reason: 'folder_of_other', path: folder });
}

/** Creates the file, unless there is one. @throws HostError `engine_failed` */
export function createEngineFile(file: string, text: string): boolean {
  return writing(file, () => createSmallFile(file, text));
}

/**
 * Replaces the file of a dead engine, unless another process is at it or has done so.
 * @throws HostError `engine_failed`
 */
export function replaceEngineFile(file: string, dead: EngineFile, text: string): boolean {
  return writing(file, () =>
    underLock(`${file}.lock`, () => {
      if (readSmallFile(file)?.text !== dead.text) return false;
      replaceSmallFile(file, text);
      return true;
    }),
  );
}

/** Removes the file if it has this text. A file that can't be removed names a dead engine from now on. */
export function withdrawEngineFile(file: string, text: string): void {
  try {
    if (readSmallFile(file)?.text === text) removeSmallFile(file);
  } catch {
    // The next engine replaces it.
  }
}

/** Whether the file has this text, or can't be read at the moment. Creates it again if the folder was removed. */
export function mayStillName(file: string, text: string): boolean {
  try {
    return (readSmallFile(file)?.text ?? (createSmallFile(file, text) ? text : '')) === text;
  } catch {
    return true;
  }
}

function writing(file: string, write: () => boolean): boolean {
  try {
    return write();
  } catch (cause) {
    throw unwritable(file, cause);
  }
}

function unwritable(file: string, cause: unknown): HostError {
  return new HostError('engine_failed', { reason: 'folder_unwritable', path: path.dirname(file), ...systemFacts(cause) }, { cause });
}

/**
 * Connects to the engine that the file names.
 * @param path of the file
 * @returns undefined if it is dead
 * @throws HostError `engine_failed` if it can't be reached, or runs on another machine; `engine_hangs`
 */
export async function reachEngine(path: string, file: EngineFile): Promise<Socket | undefined> {
  const { facts } = file;
  if (facts === undefined) return undefined;
  const { pid, startedAt, host, address } = facts;
  if ((await lifeOf({ pid, startedAt, host })) === 'gone') return undefined;
  try {
    return await openSocket(address);
  } catch (cause) {
    const facts = systemFacts(cause);
    const code = facts.systemCode;
    // The queue of connections that it did not accept yet is full.
    if (code === 'EAGAIN') throw new HostError('engine_hangs', { pid, detail: facts.detail }, { cause });
    // It stopped listening before it accepted the connection: the next attempt shows whether another one listens there.
    if (code === 'ECONNRESET') return reachEngine(path, file);
    if (code !== 'ENOENT' && code !== 'ECONNREFUSED')
      throw new HostError('engine_failed', { reason: 'unreachable', address, ...facts }, { cause });
    // Judged last: a machine may get another name while an engine runs. One on another machine can't be reached, and can't be judged either.
    if (host !== hostname()) throw new HostError('engine_failed', { reason: 'other_machine', host, path });
    return undefined;
  }
}

function openSocket(address: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(address);
    // Stays, because an error without a listener would end the process; `close` follows it.
    socket.on('error', reject);
    socket.once('connect', () => resolve(socket));
  });
}
