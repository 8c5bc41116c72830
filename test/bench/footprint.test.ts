/** The limits that do not depend on the machine; `npm run bench -- activation` measures times. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { dist, extensionBytes, limits, probeActivation, weighPage } from './footprint.js';

test('activation loads only its own small bundle, and starts no program', () => {
  const { loaded, started } = probeActivation();
  assert.deepEqual(loaded, ['extension.cjs']);
  assert.deepEqual(started, []);
  assert.ok(extensionBytes() <= limits.extensionBytes);
});

test('the page stays within its size limit, and does not load Markdown, the highlighter and the find bar at once', () => {
  const { gzipBytes, inputs, withMarkdownGzipBytes } = weighPage();
  assert.ok(gzipBytes <= limits.pageGzipBytes, `${gzipBytes} bytes`);
  assert.ok(gzipBytes + 10_000 < withMarkdownGzipBytes, 'Markdown is not found');
  assert.ok(withMarkdownGzipBytes <= limits.pageWithMarkdownGzipBytes, `${withMarkdownGzipBytes} bytes`);
  assert.ok(inputs.length > 0);
  assert.deepEqual(
    inputs.filter((input) => /highlight\.js|findText|marked/.test(input)),
    [],
  );
});

test('programs are ASCII: of one that is not, two bytes for each character stay in memory, and it takes longer to compile', () => {
  const programs = readdirSync(dist).filter((name) => /\.[cm]?js$/.test(name));
  assert.ok(programs.length >= 6);
  // The bundler escapes strings, but no regular expressions.
  const others = programs.map((name) => /.{0,20}[^\x00-\x7f].{0,20}/.exec(readFileSync(path.join(dist, name), 'utf8'))?.[0]);
  assert.deepEqual(
    others.filter((one) => one !== undefined),
    [],
  );
});
