/**
 * Returns the host that a misleading URL really leads to: one with a user name in front of an @, or with letters of another alphabet.
 * @returns undefined if the URL is not misleading, or is not a URL
 */
export function misleadingHost(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, username, password } = new URL(url);
  const misleads = username !== '' || password !== '' || hostname.split('.').some((label) => label.startsWith('xn--'));
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
