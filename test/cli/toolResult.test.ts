/** What a terminal shows of a command's output and of a change, below the line that names the call. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { paintFor } from '../../src/cli/output/paint.js';
import { toolResult } from '../../src/cli/output/toolResult.js';
import type { ToolPatch } from '../../src/core/index.js';
import { CliProcess, makePlace, noTerminal, type Place, runCli } from './cliProcess.js';

const linesOf = (patch: ToolPatch, isDecided = false): readonly string[] =>
  toolResult(patch, { columns: 80, paint: paintFor(false), isDecided });
const printed = (text: string): ToolPatch => ({ toolKind: 'execute', content: [{ type: 'content', content: { type: 'text', text } }] });

describe('the output of a command', () => {
  test('is shown to its last lines, and the number of earlier ones', () => {
    const numbers = Array.from({ length: 13 }, (_, index) => `line ${index}`);
    assert.deepEqual(linesOf(printed(numbers.join('\n'))), ['  │ ⋯ 3 earlier lines', ...numbers.slice(3).map((line) => `  │ ${line}`)]);
    assert.deepEqual(linesOf(printed('```console\nhi\n```')), ['  │ hi']);
    assert.deepEqual(linesOf(printed('\n')), []);
  });

  test('controls nothing, and what was written over is gone', () => {
    assert.deepEqual(linesOf(printed('\x1b[2J\x1b]0;title\x07red\r\n10 %\r50 %\rdone\r\n')), ['  │ red', '  │ done']);
  });

  test('is that of commands only: a file that was read is not printed', () => {
    assert.deepEqual(linesOf({ ...printed('text of the file'), toolKind: 'read' }), []);
  });
});

describe('a change of a file', () => {
  const content = [{ type: 'diff', path: '/w/a.txt', oldText: 'one\n', newText: 'two\n' }] as const;

  test('is shown, to its first lines', () => {
    assert.deepEqual(linesOf({ toolKind: 'edit', content }), ['  │ 1 -one', '  │ 1 +two']);
    const newText = Array.from({ length: 30 }, (_, index) => `${index}\n`).join('');
    const lines = linesOf({ toolKind: 'edit', content: [{ ...content[0], oldText: '', newText }] });
    assert.equal(lines.at(-1), '  │ ⋯ 20 more lines');
  });

  test('is not shown again to a person who decided about it', () => {
    assert.deepEqual(linesOf({ toolKind: 'edit', content }, true), []);
  });
});

describe('at a terminal', { skip: noTerminal() ?? false }, () => {
  let place: Place;
  beforeEach(async () => {
    place = await makePlace({ 'a.txt': 'one\n' });
  });
  afterEach(() => place.remove());
  const inTerminal = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await new CliProcess(place, ['run', '--agent', 'demo', ...args], { NO_COLOR: '1' }, { terminal: true }).ended();
    return stdout.replaceAll('\r\n', '\n');
  };

  test('what a command printed stands below its line, and a change that nobody was asked about, too', async () => {
    assert.match(await inTerminal('--permission', 'allow', 'run echo hi there'), /✓ Run echo hi there\n {2}│ hi there\n/);
    assert.match(await inTerminal('--permission', 'allow', 'edit a.txt one => two'), /✓ Edit a\.txt\n {2}│ 1 -one\n {2}│ 1 \+two\n/);
  });

  test('a pipe gets the line alone', async () => {
    const { stderr } = await runCli(place, ['run', '--agent', 'demo', '--permission', 'allow', 'run echo hi there']);
    assert.equal(stderr, '✓ Run echo hi there\n');
  });
});
