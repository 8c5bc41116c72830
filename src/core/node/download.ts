/** Downloads over HTTPS, and over HTTP from this machine only. Bounded in size and in silence; every address of a redirect is checked. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { HostError, systemFacts } from '../base/errors.js';
import { isOnThisMachine } from '../base/misleadingHost.js';
import { isOfSystem } from './files.js';

export interface DownloadOptions {
  readonly limitBytes: number;
  /** How long the server may send nothing. */
  readonly silenceMs: number;
  readonly signal: AbortSignal;
  /** @param totalBytes undefined if the server does not say */
  readonly onProgress?: (bytes: number, totalBytes: number | undefined) => void;
}

export interface Downloaded {
  readonly bytes: number;
  /** Of the content, in lower-case hexadecimal digits. */
  readonly sha256: string;
}

const maxRedirects = 5;

/** Whether nobody else can read or change what is downloaded from there. */
export function isSafeSource(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  return (protocol === 'https:' || (protocol === 'http:' && isOnThisMachine(url))) && username === '' && password === '';
}

/**
 * Writes what the URL leads to into a new file.
 * @param file absolute, must not exist
 * @throws HostError `install_failed`, `cancelled`; the system's error if the file can't be written
 */
export async function downloadFile(url: string, file: string, options: DownloadOptions): Promise<Downloaded> {
  const hash = createHash('sha256');
  let bytes = 0;
  await fetchInto(url, options, (body) =>
    pipeline(
      body,
      async function* hashed(chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk);
          bytes += chunk.length;
          yield chunk;
        }
      },
      createWriteStream(file, { flags: 'wx', mode: 0o600 }),
    ),
  );
  return { bytes, sha256: hash.digest('hex') };
}

/** @throws HostError `install_failed`, `cancelled` */
export async function downloadText(url: string, options: DownloadOptions): Promise<string> {
  const chunks: Buffer[] = [];
  await fetchInto(url, options, async (body) => {
    for await (const chunk of body) chunks.push(chunk);
  });
  return Buffer.concat(chunks).toString('utf8');
}

async function fetchInto(
  url: string,
  { limitBytes, silenceMs, signal, onProgress }: DownloadOptions,
  consume: (body: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new HostError('install_failed', { reason: 'no_answer', url })), silenceMs);
  const either = AbortSignal.any([signal, silence.signal]);
  async function* bounded(body: AsyncIterable<Uint8Array>, totalBytes: number | undefined): AsyncIterable<Buffer> {
    let bytes = 0;
    for await (const chunk of body) {
      timer.refresh();
      bytes += chunk.length;
      if (bytes > limitBytes) throw tooLarge(url, limitBytes);
      onProgress?.(bytes, totalBytes);
      yield Buffer.from(chunk);
    }
  }
  try {
    const response = await follow(url, either);
    const { body, headers } = response;
    const length = Number(headers.get('content-length') ?? Number.NaN);
    // A compressed answer says how long the compressed form is.
    const totalBytes = Number.isFinite(length) && !headers.has('content-encoding') ? length : undefined;
    if (totalBytes !== undefined && totalBytes > limitBytes) {
      await body?.cancel();
      throw tooLarge(url, limitBytes);
    }
    await consume(bounded(body === null ? Readable.from([]) : Readable.fromWeb(body), totalBytes));
  } catch (error) {
    if (signal.aborted) throw new HostError('cancelled', {}, { cause: error });
    if (silence.signal.aborted) throw silence.signal.reason;
    // `fetch` wraps the errors of the network, so this one is of the disk.
    throw isOfSystem(error) || error instanceof HostError ? error : unreachable(url, error);
  } finally {
    clearTimeout(timer);
  }
}

async function follow(url: string, signal: AbortSignal): Promise<Response> {
  let next = url;
  for (let hops = 0; hops <= maxRedirects; hops++) {
    if (!isSafeSource(next)) throw new HostError('install_failed', { reason: 'unsafe_source', url: next });
    const response = await fetch(next, { redirect: 'manual', signal });
    const location = response.headers.get('location');
    if (response.ok) return response;
    await response.body?.cancel();
    if (response.status < 300 || response.status >= 400 || location === null || !URL.canParse(location, next))
      throw new HostError('install_failed', { reason: 'http_status', url: next, status: response.status });
    const target = new URL(location, next);
    // A server elsewhere must not make requests to those of this machine, which may trust whoever asks from it.
    if (next.startsWith('https:') && target.protocol === 'http:')
      throw new HostError('install_failed', { reason: 'unsafe_source', url: target.href });
    next = target.href;
  }
  throw new HostError('install_failed', { reason: 'redirects', url });
}

function tooLarge(url: string, limitBytes: number): HostError {
  return new HostError('install_failed', { reason: 'too_large', url, limitBytes });
}

/** `fetch` only says that it failed; the cause says why. */
function unreachable(url: string, error: unknown): HostError {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return new HostError('install_failed', { reason: 'unreachable', url, ...systemFacts(cause) }, { cause: error });
}
