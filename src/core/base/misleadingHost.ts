/**
 * Where an address leads that looks like one of somewhere else: by a name in front of an @, or by letters of another alphabet.
 * @returns undefined where it does not, or is none
 */
export function misleadingHost(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, username, password } = new URL(url);
  const misleads = username !== '' || password !== '' || hostname.split('.').some((label) => label.startsWith('xn--'));
  return misleads && hostname !== '' ? hostname : undefined;
}
