/** The version in the result of `initialize`: three numbers; `0.4.20.dev0` counts as 0.4.20. */
export type Version = readonly [number, number, number];

/** Returns undefined for an unreadable or missing version. */
export function parseVersion(text: string): Version | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)/.exec(text);
  return match === null ? undefined : [Number(match[1]), Number(match[2]), Number(match[3])];
}

/** @param version if undefined, it counts as the newest one */
export function isBefore(version: Version | undefined, other: Version): boolean {
  if (version === undefined) return false;
  const index = version.findIndex((part, place) => part !== other[place]);
  return index >= 0 && (version[index] ?? 0) < (other[index] ?? 0);
}

/** @param version if undefined, it counts as the oldest one */
export function isSince(version: Version | undefined, other: Version): boolean {
  return version !== undefined && !isBefore(version, other);
}
