import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { splitCommand } from '../../src/cli/arguments/optionValues.js';

const posix = { backslashEscapes: true };
const windows = { backslashEscapes: false };

describe('splitCommand', () => {
  const cases: readonly (readonly [line: string, argv: readonly string[]])[] = [
    ['agentao --acp --stdio', ['agentao', '--acp', '--stdio']],
    ['  a\t b  ', ['a', 'b']],
    ['"a b" \'c "d"\' e"f g"h', ['a b', 'c "d"', 'ef gh']],
    ['a "" \'\'', ['a', '', '']],
    ['a\\ b "c\\"d\\\\" \'e\\f\'', ['a b', 'c"d\\', 'e\\f']],
    ['a $HOME `b` * ; | && >', ['a', '$HOME', '`b`', '*', ';', '|', '&&', '>']],
    ['a\\', ['a\\']],
  ];
  for (const [line, argv] of cases) test(JSON.stringify(line), () => assert.deepEqual(splitCommand(line, posix), argv));

  test('a backslash is part of a path on Windows', () => {
    assert.deepEqual(splitCommand('"C:\\Program Files\\a.exe" C:\\b\\', windows), ['C:\\Program Files\\a.exe', 'C:\\b\\']);
  });

  test('an empty or unterminated command is refused', () => {
    for (const line of ['', '   ', '""', 'a "b', "a 'b"]) assert.throws(() => splitCommand(line, posix), { code: 'usage' });
  });

  test('splitting any quoted arguments returns them', () => {
    const quote = (argument: string): string => `"${argument.replace(/["\\]/g, '\\$&')}"`;
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.array(fc.string()), (command, args) => {
        assert.deepEqual(splitCommand([command, ...args].map(quote).join(' '), posix), [command, ...args]);
      }),
    );
  });
});
