/** Paths of Windows that name another machine. To look at one is to sign in there, so nobody does that for an agent who has not been asked. */

/** The second form of a share, `\\?\UNC\server\share`, names it behind a prefix. What else has one may lead anywhere, and is of a machine "?". */
const beginning = /^[\\/]{2}(?:[?.][\\/]UNC[\\/]+)?([^\\/]+)/i;
/** `\\?\C:\`: the same as `C:\`. */
const drive = /^[\\/]{2}[?.][\\/][a-z]:(?:[\\/]|$)/i;

/** @param path absolute @returns the machine, in lower case; undefined: the path is of this machine */
export function machineOf(path: string): string | undefined {
  return drive.test(path) ? undefined : beginning.exec(path)?.[1]?.toLowerCase();
}
