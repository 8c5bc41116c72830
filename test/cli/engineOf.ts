/** The engine of a place, reached from the test's own process: a command line for that would take a start each time. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { askEngine, useEngine } from '../../src/cli/system/engine.js';
import type { Io } from '../../src/cli/system/io.js';
import { type ConversationStatus, statusOf } from '../../src/cli/system/conversations.js';
import { makePlace, type Place } from './cliProcess.js';

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

/** The process of the engine that runs. */
export async function enginePid(place: Place): Promise<number> {
  return askEngine(undefined, ioOf(place), async (client) => (await (client ?? assert.fail('no engine')).call('summary', {})).pid);
}

/** Waits until the first conversation of the list is in this state. */
export async function untilState(place: Place, wanted: ConversationStatus): Promise<void> {
  await askEngine(undefined, ioOf(place), async (client) => {
    assert.ok(client !== undefined, 'no engine');
    const { list } = client;
    await new Promise<void>((resolve) => {
      const look = (): void => {
        const [first] = list.state.conversations;
        if (first !== undefined && statusOf(first) === wanted) resolve();
      };
      list.onChange(look);
      look();
    });
  });
}

/**
 * Keeps an engine for the tests of a file whose matter is not how an engine begins or ends: that takes as long as the rest of a short run.
 * @returns makes a place that uses it
 */
export function placesOfOneEngine(): typeof makePlace {
  let first: Place | undefined;
  let leave: (() => Promise<void>) | undefined;
  before(async () => {
    first = await makePlace();
    leave = await keepEngine(first);
  });
  after(async () => {
    await leave?.();
    await first?.remove();
  });
  return async (files) => {
    const place = await makePlace(files);
    return { ...place, env: { ...place.env, ACP_HOST_STATE: first?.env['ACP_HOST_STATE'] } };
  };
}
