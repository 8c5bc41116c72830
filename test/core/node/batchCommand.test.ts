/** Windows is not needed here: the test implements its rules again from the documentation, and parses what the host writes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { HostError } from '../../../src/core/base/errors.js';
import { batchCommandLine, quoteForBatch } from '../../../src/core/node/batchCommand.js';

const variables: Readonly<Record<string, string>> = { PATH: 'C:\\Windows" & calc & "', A: 'expanded', CD: 'C:\\here' };

/** cmd.exe on the command line, first step: `%NAME%` and `%NAME:~start,length%`; what is no variable stays as it is. */
function expandVariables(line: string): string {
  let out = '';
  for (let at = 0; at < line.length; at++) {
    const end = line[at] === '%' ? line.indexOf('%', at + 1) : -1;
    const [, name = '', from, length] = /^([^:%]+)(?::~(-?\d*)(?:,(-?\d*))?)?$/.exec(line.slice(at + 1, Math.max(end, at + 1))) ?? [];
    const value = variables[name.toUpperCase()];
    if (end < 0 || value === undefined) {
      out += line[at];
      continue;
    }
    const start = Number(from ?? 0);
    out += from === undefined ? value : length === undefined ? value.slice(start) : value.slice(start, start + Number(length));
    at = end;
  }
  return out;
}

/** Second step: outside of quotes these cut, redirect or escape. @returns whether any of them acts */
function actsOutsideQuotes(command: string): boolean {
  let quoted = false;
  return [...command].some((char) => {
    if (char === '"') quoted = !quoted;
    return !quoted && '&|<>^()'.includes(char);
  });
}

/** The C runtime's rules: 2n backslashes and a quote are n and a quote that opens or closes, 2n+1 are n and a letter, `""` within quotes is a letter. */
function toArgv(command: string): string[] {
  const argv: string[] = [];
  let current: string | undefined;
  let quoted = false;
  for (let at = 0; at < command.length; at++) {
    const [backslashes = ''] = /^\\*/.exec(command.slice(at)) ?? [];
    at += backslashes.length;
    const char = command[at];
    if (char !== '"') {
      if (backslashes !== '') current = (current ?? '') + backslashes;
      if (char === undefined) break;
      if (!quoted && (char === ' ' || char === '\t')) {
        if (current !== undefined) argv.push(current);
        current = undefined;
      } else current = (current ?? '') + char;
      continue;
    }
    current = (current ?? '') + '\\'.repeat(Math.floor(backslashes.length / 2));
    if (backslashes.length % 2 === 1) current += '"';
    else if (quoted && command[at + 1] === '"') {
      current += '"';
      at++;
    } else quoted = !quoted;
  }
  if (current !== undefined) argv.push(current);
  return argv;
}

function read(line: string): string[] {
  const [, inner] = /^\/d \/e:on \/v:off \/s \/c "(.*)"$/s.exec(line) ?? [];
  assert.ok(inner !== undefined, line);
  const command = expandVariables(inner);
  assert.equal(actsOutsideQuotes(command), false, command);
  // A batch file hands its arguments on as `%*`, as they were written: the same quotes protect them a second time.
  return toArgv(command);
}

const hostile = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom('"', '\\', '%', '^', '&', '|', '<', '>', '(', ')', '!', ' ', '\t', ';', ',', '=', "'", 'A', ':', '~'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    ),
  })
  .map((text) => text.replaceAll(/[\0\r\n]/g, ''));

test('whatever the arguments hold, they arrive as they are and nothing in them acts', () => {
  fc.assert(
    fc.property(fc.array(hostile, { maxLength: 6 }), (args) => {
      assert.deepEqual(read(batchCommandLine('C:\\Program Files (x86)\\100%PATH%\\agent.cmd', args)), [
        'C:\\Program Files (x86)\\100%PATH%\\agent.cmd',
        ...args,
      ]);
    }),
    { numRuns: 2_000 },
  );
});

test('the arguments that broke others', () => {
  const args = [
    '',
    ' ',
    '"',
    '""',
    '\\',
    'a\\',
    '\\"',
    'a\\\\"b',
    '%PATH%',
    '%%A%%',
    '%CD:~0,1%',
    '^',
    '" & calc & "',
    '"&calc',
    '%PATH:~0,1%&calc',
    '!A!',
    '100%',
  ];
  assert.deepEqual(read(batchCommandLine('x.cmd', args)), ['x.cmd', ...args]);
  assert.equal(quoteForBatch('a\\" 5%'), '"a\\\\"" 5%%cd:~,%"');
});

test('what no quoting carries is refused in words', () => {
  for (const argument of ['a\nb', 'a\rb', 'a\0b']) {
    assert.throws(
      () => batchCommandLine('x.cmd', [argument]),
      (error) => error instanceof HostError && error.code === 'spawn_failed',
    );
  }
});
