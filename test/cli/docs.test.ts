/** docs/cli.md and the help describe the schema and the options, and nothing else. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { ExitCode } from '../../src/cli/output/exitCode.js';
import { exitCodeTexts, hasOption, helpText, optionTexts } from '../../src/cli/arguments/help.js';
import { commands } from '../../src/cli/arguments/parseArguments.js';
import { commandNames } from '../../src/cli/arguments/parseArguments.js';
import {
  agentsLine,
  changesLine,
  doctorLine,
  engineLine,
  sessionsLine,
  showLine,
  statusLine,
  undoLine,
} from '../../src/cli/output/reportSchema.js';
import { chatLine } from '../../src/cli/input/jsonInput.js';
import { eventLine } from '../../src/cli/output/eventSchema.js';
import { helpMarkdown, readHelpPage } from './helpPage.js';

const docs = await readFile(new URL('../../docs/cli.md', import.meta.url), 'utf8');

function linesOf(kind: string): readonly unknown[] {
  const blocks = [...docs.matchAll(/^```json(.*)\n([\s\S]*?)^```$/gm)].filter(([, named]) => (named ?? '').trim() === kind);
  return blocks.flatMap(([, , text = '']) =>
    text
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line)),
  );
}

test('every example matches the schema, and every event has an example', () => {
  const events = linesOf('').map((line) => eventLine.parse(line));
  assert.deepEqual([...new Set(events.map(({ event }) => event))].sort(), [
    'agent',
    'changes',
    'detached',
    'error',
    'late',
    'notice',
    'permission',
    'question',
    'queue',
    'recovery',
    'session',
    'silence',
    'turn',
    'update',
  ]);
  const onStdin = [...docs.matchAll(/^\| `(\{.*?\})` \|/gm)].map(([, line = '']): unknown => JSON.parse(line));
  assert.equal(onStdin.map((line) => chatLine.parse(line)).length, 17);
  assert.equal(linesOf('sessions').map((line) => sessionsLine.parse(line)).length, 1);
  assert.equal(linesOf('show').map((line) => showLine.parse(line)).length, 1);
  assert.equal(linesOf('doctor').map((line) => doctorLine.parse(line)).length, 1);
  assert.equal(linesOf('agents').map((line) => agentsLine.parse(line)).length, 1);
  assert.equal(linesOf('changes').map((line) => changesLine.parse(line)).length, 1);
  assert.equal(linesOf('undo').map((line) => undoLine.parse(line)).length, 1);
  assert.equal(linesOf('status').map((line) => statusLine.parse(line)).length, 1);
  assert.equal(linesOf('engine').map((line) => engineLine.parse(line)).length, 1);
});

test('docs/cli.md says the same as the help', () => {
  assert.equal(readHelpPage(), helpMarkdown(), 'docs/cli.md is not up to date: `npm run options` writes it');
});

test('the help describes each option of each command once, and every exit code', () => {
  for (const command of commandNames) {
    const described = Object.keys(optionTexts)
      .filter((option) => hasOption(command, option))
      .flatMap((option) => option.match(/(?<=--)[a-z-]+/g) ?? []);
    assert.deepEqual([...described, 'help'].sort(), Object.keys(commands[command].options).sort(), command);
  }
  assert.deepEqual(
    Object.keys(optionTexts).filter((option) => !commandNames.some((command) => hasOption(command, option))),
    [],
  );
  for (const code of Object.values(ExitCode)) assert.ok(Object.hasOwn(exitCodeTexts, code), `${code}`);
});

test('the help fits into 80 columns', () => {
  for (const command of [undefined, ...commandNames]) {
    assert.deepEqual(
      helpText(command)
        .split('\n')
        .filter((line) => line.length > 80),
      [],
    );
  }
});
