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
