import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Screen } from '../../src/cli/output/screen.js';
import { processorMs } from '../processorTime.js';

/** Two streams of a process that write to the same file, as with `2>&1`. */
function oneFile(): { readonly screen: Screen; readonly text: () => string } {
  let text = '';
  const write = (piece: string): boolean => ((text += piece), true);
  const stream = (): NodeJS.WriteStream =>
    new Proxy(process.stdout, { get: (_, name) => ({ write, once: () => undefined })[String(name)] });
  return { screen: new Screen({ stdin: process.stdin, stdout: stream(), stderr: stream(), env: {}, platform: 'linux' }), text: () => text };
}

test('output about something else begins on a line of its own, also in a pipe', () => {
  const { screen, text } = oneFile();
  screen.answer('I look.');
  screen.interruptAnswer();
  screen.line('✓ Read a.txt');
  screen.answer('It says one.');
  assert.equal(text(), 'I look.\n✓ Read a.txt\n\nIt says one.');
});

test('an answer on stdout is not broken into lines', () => {
  const { screen, text } = oneFile();
  screen.answer('It is ');
  screen.aside('thinking');
  screen.answer('forty-two.');
  assert.equal(text().replace('thinking\n', ''), 'It is forty-two.');
});

test('an answer of line feeds is shown at once', () => {
  const { screen, text } = oneFile();
  const startedAt = processorMs();
  screen.answer(`a${'\n'.repeat(200_000)}b\n`);
  assert.ok(processorMs() - startedAt < 2_000, 'it was quadratic: 47 s');
  assert.equal(text().length, 200_003);
});
