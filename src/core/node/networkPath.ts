/**
 * Finds Windows paths that name another machine. Looking at such a path signs in there, so the host never does that unasked for an agent.
 */

/**
 * A share can also be written with a prefix: `\\?\UNC\server\share`. Any other path with a prefix may lead anywhere; its machine is "?".
 */
const beginning = /^[\\/]{2}(?:[?.][\\/]UNC[\\/]+)?([^\\/]+)/i;
/** `\\?\C:\` is the same as `C:\`. */
const drive = /^[\\/]{2}[?.][\\/][a-z]:(?:[\\/]|$)/i;

/**
 * @param path absolute
 * @returns the machine in lower case; undefined if the path is on this machine
 */
export function machineOf(path: string): string | undefined {
  return drive.test(path) ? undefined : beginning.exec(path)?.[1]?.toLowerCase();
}
