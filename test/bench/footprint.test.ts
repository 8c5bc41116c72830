/** The limits that do not depend on the machine; `npm run bench -- activation` measures times. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extensionBytes, limits, probeActivation, weighPage } from './footprint.js';

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
