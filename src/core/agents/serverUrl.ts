/** Validates the URL of a server, and the pin of its certificate, as users enter them. */
import { HostError } from '../base/errors.js';

const pinShape = /^sha256\/[A-Za-z0-9+/]{43}=$/;
const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/**
 * @returns the URL in its normal form
 * @throws HostError `usage`; does not quote a URL that contains a key
 */
export function parseServerUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['ws:', 'wss:'].includes(url.protocol)) throw new HostError('usage', { reason: 'url_scheme' });
  if (url.username !== '' || url.password !== '' || [...url.searchParams.keys()].some(isKeyName))
    throw new HostError('usage', { reason: 'url_secret' });
  if (url.hash !== '') throw new HostError('usage', { reason: 'url_fragment' });
  return url.href;
}

function isKeyName(name: string): boolean {
  return /(?:^|[-_])(?:key|token|secret|password|auth)$|apikey/i.test(name);
}

/**
 * @param url as `parseServerUrl` returns it
 * @returns whether others could read the data on the way
 */
export function isPlainBeyondLoopback(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'ws:' && !loopbackHost.test(hostname);
}

/** @throws HostError `usage` */
export function parsePin(text: string): string {
  if (!pinShape.test(text)) throw new HostError('usage', { reason: 'pin_shape' });
  return text;
}
