/** Code of an answer replaces the lines of the file that it is a new version of. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { matchingLines } from '../../src/extension/editor/answeredCode.js';

const file = `import { a } from './a.js';

export function first(x: number): number {
  const y = x + 1;
  return y;
}

export class Box {
  second(x: number): number {
    const y = x + 1;
    return y * 2;
  }

  third(): void {
    console.log('third');
  }
}`.split('\n');

function replaced(code: string): string | undefined {
  const match = matchingLines(file, code.split('\n'));
  return match && [...file.slice(0, match.first), ...match.lines, ...file.slice(match.end)].join('\n');
}

test('a function replaces itself, also with other parameters, more lines and another indentation', () => {
  const whole = file.join('\n');
  const cases: readonly (readonly [code: string, before: string, after: string])[] = [
    ['export function first(x: number): number {\n  return x + 1;\n}', '  const y = x + 1;\n  return y;\n}', '  return x + 1;\n}'],
    [
      'second(x: number, by = 2): number {\n  const y = x + 1;\n  log(y);\n  return y * by;\n}',
      '  second(x: number): number {\n    const y = x + 1;\n    return y * 2;\n  }',
      '  second(x: number, by = 2): number {\n    const y = x + 1;\n    log(y);\n    return y * by;\n  }',
    ],
    [
      "import { a } from './a.js';\nimport { b } from './b.js';",
      "import { a } from './a.js';",
      "import { a } from './a.js';\nimport { b } from './b.js';",
    ],
  ];
  for (const [code, before, after] of cases) {
    assert.ok(whole.includes(before));
    assert.equal(
      replaced(code),
      whole.replace(before, () => after),
    );
  }
});

test('code that is not in the file has no place in it', () => {
  for (const code of ['}', '', 'npm install\nnpm test', 'const z = 3;\nreturn z;', '  }\n}']) assert.equal(replaced(code), undefined, code);
});

test('lines of the file that are unlike all others are found where they are, wherever the code changes them', () => {
  const line = fc.stringMatching(/^[a-z]{8,20}$/);
  fc.assert(
    fc.property(fc.uniqueArray(line, { minLength: 8, maxLength: 40 }), fc.nat(), fc.nat(), fc.nat(), (lines, from, count, changed) => {
      const first = from % (lines.length - 4);
      const code = lines.slice(first, first + 4 + (count % (lines.length - first - 3)));
      const inside = 1 + (changed % (code.length - 2));
      const match = matchingLines(lines, code.with(inside, 'CHANGED LINE'));
      assert.deepEqual([match?.first, match?.end], [first, first + code.length]);
    }),
  );
});
