import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';

/** Linux reads no more of the first line. */
const firstLineBytes = 256;
/** Interpreters may be scripts; the system gives up sooner. */
const maxScripts = 5;

/**
 * The system reports a script whose interpreter doesn't exist as if the script itself were missing.
 * @param file absolute
 * @param cwd the folder in which the script was to run
 * @returns the missing interpreter as the script names it; undefined if the file is missing, is no script, or has its interpreter
 */
export function missingInterpreter(file: string, cwd: string): string | undefined {
  let script = file;
  for (let scripts = 0; scripts < maxScripts; scripts++) {
    const interpreter = interpreterOf(script);
    if (interpreter === undefined) return undefined;
    script = resolve(cwd, interpreter);
    if (!existsSync(script)) return interpreter;
  }
  return undefined;
}

function interpreterOf(file: string): string | undefined {
  try {
    const handle = openSync(file, 'r');
    try {
      const bytes = Buffer.alloc(firstLineBytes);
      const start = bytes.toString('utf8', 0, readSync(handle, bytes, 0, firstLineBytes, 0));
      // A carriage return belongs to the name.
      return /^#![ \t]*([^ \t\n\0]+)/.exec(start)?.[1];
    } finally {
      closeSync(handle);
    }
  } catch {
    // What can't be read can't be explained.
    return undefined;
  }
}
