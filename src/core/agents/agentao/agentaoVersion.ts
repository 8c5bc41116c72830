/** Versions of agentao as its initialize result names them: three numbers, `0.4.20.dev0` counts as 0.4.20. */
export type Version = readonly [number, number, number];

/** Unreadable or missing: undefined, which counts as the newest. */
export function parseVersion(text: string): Version | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)/.exec(text);
  return match === null ? undefined : [Number(match[1]), Number(match[2]), Number(match[3])];
}

export function isBefore(version: Version | undefined, other: Version): boolean {
  if (version === undefined) return false;
  const index = version.findIndex((part, place) => part !== other[place]);
  return index >= 0 && (version[index] ?? 0) < (other[index] ?? 0);
}
