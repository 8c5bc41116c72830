/** These tests do not need Windows: they implement its documented rules, and parse the command lines of the host with them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { HostError } from '../../../src/core/base/errors.js';
import { batchCommandLine, quoteForBatch } from '../../../src/core/node/resolveCommand.js';

const variables: Readonly<Record<string, string>> = { PATH: 'C:\\Windows" & calc & "', A: 'expanded', CD: 'C:\\here' };

/** The first step of cmd.exe: expands `%NAME%` and `%NAME:~start,length%`, and leaves anything else unchanged. */
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

/** The second step: returns whether any character outside of quotes separates, redirects or escapes. */
function actsOutsideQuotes(command: string): boolean {
  let quoted = false;
  return [...command].some((char) => {
    if (char === '"') quoted = !quoted;
    return !quoted && '&|<>^()'.includes(char);
  });
}

/**
 * The rules of the C runtime: before a quote, 2n backslashes are n backslashes and the quote opens or closes; 2n+1 are n backslashes and the
 * quote is literal. `""` within quotes is a literal quote.
 */
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
  // A batch file passes its arguments on as `%*`, exactly as written, so the same quotes protect them a second time.
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

test('any arguments arrive unchanged, and cmd.exe interprets nothing in them', () => {
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

test('arguments that are known to break quoting arrive unchanged', () => {
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

test('an argument with a line break or a null character is refused with spawn_failed', () => {
  for (const argument of ['a\nb', 'a\rb', 'a\0b']) {
    assert.throws(
      () => batchCommandLine('x.cmd', [argument]),
      (error) => error instanceof HostError && error.code === 'spawn_failed',
    );
  }
});
