/** Every recording of the real agentao 0.5.17 through schema, quirks, mapping and reducer. `UPDATE_GOLDEN=1` updates the golden files. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { readRecording, recordings, replay } from './replay.js';

const golden = new URL('../../golden/acp-replay/', import.meta.url);
const names = readdirSync(recordings)
  .filter((file) => file.endsWith('.ndjson'))
  .map((file) => file.slice(0, -'.ndjson'.length));

/** Without the name that each process makes for itself. */
function textOf(replayed: unknown): string {
  return `${JSON.stringify(replayed, null, 1).replaceAll(/"[0-9a-f]{8}(?=[./])/g, '"process')}\n`;
}

describe('recorded traffic of agentao 0.5.17 through schema and mapping', () => {
  assert.ok(names.length >= 17);

  for (const name of names) {
    test(name, async () => {
      const entries = readRecording(name);
      const replayed = await replay(entries);
      assert.deepEqual(replayed.problems, [], 'real traffic holds nothing that the host does not know');
      const text = textOf(replayed);
      assert.equal(textOf(await replay(entries)), text, 'the same frames give the same state');
      const file = new URL(`${name}.json`, golden);
      if (process.env['UPDATE_GOLDEN'] === '1') {
        mkdirSync(golden, { recursive: true });
        writeFileSync(file, text);
      }
      assert.deepEqual(JSON.parse(text), JSON.parse(readFileSync(file, 'utf8')));
    });
  }
});
