/** The names of commands that an agent sends, whatever they look like, are names that a user can type after a slash. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf, makePlace, testAgent } from '../cli/cliProcess.js';
import { runHere } from '../cli/runHere.js';

test('names with a slash lose it, and names that are empty or repeat are left out', async (t) => {
  const place = await makePlace();
  t.after(() => place.remove());
  const { stdout } = await runHere(place, ['run', ...testAgent('namesCommandsOddly'), '--format', 'json', '/init']);
  const lists = eventsOf(stdout).flatMap((line) => (line.event === 'update' ? [line.update['availableCommands']] : []));
  const names = lists.flatMap((list) => (Array.isArray(list) ? list.map(({ name }: { readonly name: string }) => name) : []));
  assert.deepEqual(names, ['init', 'compact', 'plain', 'spaced']);
});
