/** Unpacks archives that others made: no file leaves the folder, no link is made, nothing is replaced, and the size is bounded. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import path from 'node:path';
import bitIterator from 'unbzip2-stream/lib/bit_iterator.js';
import bzip2 from 'unbzip2-stream/lib/bzip2.js';
import { extract } from 'tar-stream';
import { openPromise } from 'yauzl';
import { HostError, systemFacts } from '../base/errors.js';
import { isOfSystem } from './files.js';

/** What a block, which is at most as large as its level says, may need in addition. */
const overheadBytes = 25_000;
const firstBytes = 1024 * 1024;

/**
 * Decompresses bzip2, one block after the other: no more than one of them is in memory, whatever it expands to. Several streams that follow
 * one another are one.
 * @throws Error if it is damaged, or ends too early
 */
export async function* bunzip2(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  const waiting: Buffer[] = [];
  let received = 0;
  let hasEnded = false;
  const receive = async (bytes: number, read: number): Promise<boolean> => {
    while (!hasEnded && received - read < bytes) {
      const next = await chunks.next();
      if (next.done === true) {
        hasEnded = true;
      } else {
        waiting.push(next.value);
        received += next.value.length;
      }
    }
    return received > read;
  };
  if (!(await receive(1, 0))) throw new Error('The file is empty');
  const bits = bitIterator(() => {
    const next = waiting.shift();
    if (next === undefined) throw new Error('The file ends too early');
    return next;
  });
  while (await receive(overheadBytes, bits.bytesRead)) {
    const blockBytes = 100_000 * bzip2.header(bits);
    const work = new Int32Array(blockBytes);
    for (let checksum: number | null = 0; ; ) {
      await receive(overheadBytes + blockBytes, bits.bytesRead);
      let bytes = Buffer.allocUnsafe(firstBytes);
      let length = 0;
      const onByte = (byte: number): void => {
        if (length === bytes.length) bytes = Buffer.concat([bytes], 2 * length);
        bytes[length++] = byte;
      };
      checksum = bzip2.decompress(bits, onByte, work, blockBytes, checksum);
      if (checksum === null) break;
      yield bytes.subarray(0, length);
    }
  }
}

export type ArchiveKind = 'zip' | 'tar.gz' | 'tar.bz2';

interface UnpackLimits {
  /** Of all files together. */
  readonly bytes: number;
  readonly entries: number;
}

/**
 * @param archive absolute path
 * @param folder absolute, exists and is empty
 * @throws HostError `install_failed` for an archive that is damaged, too large, or has a path or a link that is refused; `cancelled`; the
 * system's error if a file can't be written
 */
export async function unpack(
  archive: string,
  kind: ArchiveKind,
  folder: string,
  { limits, signal }: { readonly limits: UnpackLimits; readonly signal: AbortSignal },
): Promise<void> {
  const place = new Unpacked(folder, limits, signal);
  try {
    await (kind === 'zip' ? unpackZip(archive, place) : unpackTar(archive, kind, place, signal));
  } catch (error) {
    if (signal.aborted) throw new HostError('cancelled', {}, { cause: error });
    if (error instanceof HostError || isOfSystem(error)) throw error;
    throw new HostError('install_failed', { reason: 'archive_damaged', ...systemFacts(error) }, { cause: error });
  }
}

/** What was unpacked so far. */
class Unpacked {
  readonly #folder: string;
  readonly #limits: UnpackLimits;
  readonly #signal: AbortSignal;
  #bytes = 0;
  #entries = 0;

  constructor(folder: string, limits: UnpackLimits, signal: AbortSignal) {
    this.#folder = folder;
    this.#limits = limits;
    this.#signal = signal;
  }

  async folder(name: string): Promise<void> {
    await mkdir(this.#pathOf(name), { recursive: true, mode: 0o700 });
  }

  async file(name: string, content: AsyncIterable<unknown>, isExecutable: boolean): Promise<void> {
    const file = this.#pathOf(name);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const count = (bytes: number): void => {
      this.#bytes += bytes;
      if (this.#bytes > this.#limits.bytes)
        throw new HostError('install_failed', { reason: 'archive_too_large', limitBytes: this.#limits.bytes });
    };
    await pipeline(
      content,
      async function* counted(chunks: AsyncIterable<unknown>) {
        for await (const chunk of chunks) {
          // The library for tar does not say that they are all bytes.
          if (!(chunk instanceof Uint8Array)) continue;
          count(chunk.length);
          yield chunk;
        }
      },
      // Fails if the file exists: two names may be the same one on this disk.
      createWriteStream(file, { flags: 'wx', mode: isExecutable ? 0o755 : 0o644 }),
      { signal: this.#signal },
    );
  }

  #pathOf(name: string): string {
    this.#entries += 1;
    if (this.#entries > this.#limits.entries)
      throw new HostError('install_failed', { reason: 'archive_too_large', entries: this.#entries });
    if (!staysInside(name)) throw unsafe(name);
    return path.join(this.#folder, name);
  }
}

/**
 * Whether a path in an archive stays in its folder, on any system. Windows ignores spaces and dots at the end of a name.
 * @param name with `/` between folders
 */
export function staysInside(name: string): boolean {
  if (/[\\\0]/.test(name) || (process.platform === 'win32' && name.includes(':'))) return false;
  const parts = name.replace(/\/$/, '').split('/');
  return parts.every((part) => part === '.' || !/^[. ]*$/.test(part));
}

function unsafe(name: string): HostError {
  return new HostError('install_failed', { reason: 'archive_unsafe', detail: name });
}

async function unpackTar(archive: string, kind: Exclude<ArchiveKind, 'zip'>, place: Unpacked, signal: AbortSignal): Promise<void> {
  const entries = extract();
  const reading = pipeline(createReadStream(archive), kind === 'tar.gz' ? createGunzip() : bunzip2, entries, { signal });
  // Its failure is also that of the loop below, or follows from it.
  reading.catch(() => {});
  for await (const entry of entries) {
    const { name, type, mode = 0 } = entry.header;
    if (type === 'directory') await place.folder(name);
    else if (type === 'file' || type === 'contiguous-file') await place.file(name, entry, (mode & 0o111) !== 0);
    else throw unsafe(name);
    entry.resume();
  }
  await reading;
}

const unixFileKind = 0o170000;
const unixFile = 0o100000;

async function unpackZip(archive: string, place: Unpacked): Promise<void> {
  const zip = await openPromise(archive, { lazyEntries: true, strictFileNames: true });
  try {
    for await (const entry of zip.eachEntry()) {
      const mode = entry.externalFileAttributes >>> 16;
      const kind = mode & unixFileKind;
      if (entry.fileName.endsWith('/')) await place.folder(entry.fileName);
      else if (kind === 0 || kind === unixFile)
        await place.file(entry.fileName, await zip.openReadStreamPromise(entry), (mode & 0o111) !== 0);
      else throw unsafe(entry.fileName);
    }
  } finally {
    zip.close();
  }
}
