/** docs/cli.md describes the schema and nothing else. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { ExitCode } from '../../src/cli/output/exitCode.js';
import { help } from '../../src/cli/arguments/help.js';
import { parseTrace } from '../../src/core/index.js';
import { agentsLine, doctorLine, sessionsLine, showLine } from '../../src/cli/output/reportSchema.js';
import { answerLine, chatLine } from '../../src/cli/input/stdinSchema.js';
import { eventLine } from '../../src/cli/output/eventSchema.js';

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
    'error',
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
  const answers = linesOf('answers').map((line) => answerLine.parse(line));
  assert.equal(answers.length, 6);
  assert.equal(linesOf('chat').map((line) => chatLine.parse(line)).length, 11);
  assert.equal(linesOf('sessions').map((line) => sessionsLine.parse(line)).length, 1);
  assert.equal(linesOf('show').map((line) => showLine.parse(line)).length, 1);
  assert.equal(linesOf('doctor').map((line) => doctorLine.parse(line)).length, 1);
  assert.equal(
    parseTrace(
      linesOf('trace')
        .map((line) => JSON.stringify(line))
        .join('\n'),
    ).lines.length,
    7,
  );
  assert.equal(linesOf('agents').map((line) => agentsLine.parse(line)).length, 1);
});

test('the help and docs/cli.md list the same options and exit codes', () => {
  const optionsIn = (text: string): readonly string[] =>
    [...new Set([...text.matchAll(/--[a-z]+/g)].map(([option]) => option))]
      .filter((option) => option !== '--acp' && option !== '--stdio')
      .sort();
  assert.deepEqual(optionsIn(help), optionsIn(docs));
  for (const code of Object.values(ExitCode)) {
    assert.match(docs, new RegExp(`^\\| ${code} \\|`, 'm'));
    assert.match(help, new RegExp(`(^|\\s)${code} \\w`));
  }
});
