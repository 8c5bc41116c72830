/** What a terminal shows of a command's output and of a change, below the line that names the call. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { paintFor } from '../../src/cli/output/terminalText.js';
import { toolResult } from '../../src/cli/output/textOutput.js';
import type { ToolPatch } from '../../src/core/index.js';
import { CliProcess, noTerminal, type Place } from './cliProcess.js';
import { placesOfOneEngine } from './engineOf.js';
import { runHere } from './runHere.js';

const makePlace = placesOfOneEngine();

const linesOf = (patch: ToolPatch, isDecided = false): readonly string[] =>
  toolResult(patch, { columns: 80, paint: paintFor(false), isDecided });
const printed = (text: string): ToolPatch => ({ toolKind: 'execute', content: [{ type: 'content', content: { type: 'text', text } }] });

describe('the output of a command', () => {
  test('its last lines are shown with the number of earlier ones', () => {
    const numbers = Array.from({ length: 13 }, (_, index) => `line ${index}`);
    assert.deepEqual(linesOf(printed(numbers.join('\n'))), ['  │ ⋯ 3 earlier lines', ...numbers.slice(3).map((line) => `  │ ${line}`)]);
    assert.deepEqual(linesOf(printed('```console\nhi\n```')), ['  │ hi']);
    assert.deepEqual(linesOf(printed('\n')), []);
  });

  test('it cannot control the terminal, and overwritten text is removed', () => {
    assert.deepEqual(linesOf(printed('\x1b[2J\x1b]0;title\x07red\r\n10 %\r50 %\rdone\r\n')), ['  │ red', '  │ done']);
  });

  test('it is only shown for commands, not for files that were read', () => {
    assert.deepEqual(linesOf({ ...printed('text of the file'), toolKind: 'read' }), []);
  });
});

describe('a change of a file', () => {
  const content = [{ type: 'diff', path: '/w/a.txt', oldText: 'one\n', newText: 'two\n' }] as const;

  test('its first lines are shown', () => {
    assert.deepEqual(linesOf({ toolKind: 'edit', content }), ['  │ 1 -one', '  │ 1 +two']);
    const newText = Array.from({ length: 30 }, (_, index) => `${index}\n`).join('');
    const lines = linesOf({ toolKind: 'edit', content: [{ ...content[0], oldText: '', newText }] });
    assert.equal(lines.at(-1), '  │ ⋯ 20 more lines');
  });

  test('it is not shown again to a user who decided about it', () => {
    assert.deepEqual(linesOf({ toolKind: 'edit', content }, true), []);
  });
});

describe('in a terminal', { skip: noTerminal() ?? false }, () => {
  let place: Place;
  beforeEach(async () => {
    place = await makePlace({ 'a.txt': 'one\n' });
  });
  afterEach(() => place.remove());
  const inTerminal = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await new CliProcess(place, ['run', '--agent', 'demo', ...args], { NO_COLOR: '1' }, { terminal: true }).ended();
    return stdout.replaceAll('\r\n', '\n');
  };

  test('command output appears below its line, and so does a change without a permission', async () => {
    assert.match(await inTerminal('--permission', 'allow', 'run echo hi there'), /✓ Run echo hi there\n {2}│ hi there\n/);
    assert.match(await inTerminal('--permission', 'allow', 'edit a.txt one => two'), /✓ Edit a\.txt\n {2}│ 1 -one\n {2}│ 1 \+two\n/);
  });

  test('a pipe only gets the line', async () => {
    const { stderr } = await runHere(place, ['run', '--agent', 'demo', '--permission', 'allow', 'run echo hi there']);
    // A machine with much to do is slow to start the agent, which is said.
    assert.equal(stderr.replace(/^Waiting for .*\n/, ''), '✓ Run echo hi there\n');
  });
});
