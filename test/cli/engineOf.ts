/** The engine of a place, reached from the test's own process: a command line for that would take a start each time. */
import { askEngine, useEngine } from '../../src/cli/system/engine.js';
import type { Io } from '../../src/cli/system/io.js';
import type { Place } from './cliProcess.js';

const ioOf = ({ env }: Place): Io => ({
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env,
  platform: process.platform,
});

/** Does what `acp-host engine stop` does. */
export async function endEngine(place: Place): Promise<void> {
  await askEngine(undefined, ioOf(place), async (client) => client?.stop());
}

/** Starts the engine, which goes on between commands until it is ended, as with an open window. @returns a function that leaves it */
export async function keepEngine(place: Place): Promise<() => Promise<void>> {
  const { end } = await useEngine({ state: undefined }, ioOf(place));
  return end;
}
