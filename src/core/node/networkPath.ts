/** Paths of Windows that name another machine. To look at one is to sign in there, so nobody does that for an agent who has not been asked. */

const beginning = /^[\\/]{2}([^\\/]+)/;

/** @param path absolute @returns the machine, in lower case; undefined: the path is of this machine */
export function machineOf(path: string): string | undefined {
  return beginning.exec(path)?.[1]?.toLowerCase();
}
