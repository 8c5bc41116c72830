import { connect, type Socket } from 'node:net';
import { HostError } from '../base/errors.js';
import { lifeOf } from '../node/processAlive.js';
import { type EngineFile, isOfThisMachine } from './engineFile.js';

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
    const { code, message: detail } = cause instanceof Error && 'code' in cause ? cause : { code: undefined, message: String(cause) };
    // The queue of connections that it did not accept yet is full.
    if (code === 'EAGAIN') throw new HostError('engine_hangs', { pid, detail }, { cause });
    // It stopped listening before it accepted the connection: the next attempt shows whether another one listens there.
    if (code === 'ECONNRESET') return reachEngine(path, file);
    if (code !== 'ENOENT' && code !== 'ECONNREFUSED')
      throw new HostError('engine_failed', { reason: 'unreachable', address, detail }, { cause });
    // Judged last: a machine may get another name while an engine runs.
    if (!isOfThisMachine(facts)) throw new HostError('engine_failed', { reason: 'other_machine', host, path });
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
