/** What an address says between its slashes, without the port. */
const writtenHost = /^[a-z][a-z\d+.-]*:\/\/([^/?#@]*?)(?::\d*)?(?:[/?#]|$)/i;

/**
 * Returns the host that a misleading URL really leads to: one that does not have this host in it as it is, because of a user name in front of
 * an @, of letters and dots of other scripts, or of a number for an address; and one with letters of another alphabet.
 * @returns undefined if the URL is not misleading, or is not a URL
 */
export function misleadingHost(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname } = new URL(url);
  const isWritten = writtenHost.exec(url)?.[1]?.toLowerCase() === hostname;
  const misleads = !isWritten || hostname.split('.').some((label) => label.startsWith('xn--'));
  return misleads && hostname !== '' ? hostname : undefined;
}

const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/** @param url a valid one */
export function isOnThisMachine(url: string): boolean {
  return loopbackHost.test(new URL(url).hostname);
}

/**
 * What a user must know before opening a page. `isExposed`: it comes from another machine without encryption.
 * @returns undefined if the URL is not valid
 */
export function pageFacts(url: string): { readonly host: string; readonly misleads: boolean; readonly isExposed: boolean } | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname: host, protocol } = new URL(url);
  return { host, misleads: misleadingHost(url) !== undefined, isExposed: protocol === 'http:' && !isOnThisMachine(url) };
}
