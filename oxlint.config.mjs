import { readFileSync } from 'node:fs';

/** The import table of src/README.md as data; test/tidy.test.ts reads it too. */
const rooms = JSON.parse(readFileSync(new URL('./src/rooms.json', import.meta.url), 'utf8'));

/** The part of src that a room is in: `extension` of `extension/chat`. */
const topOf = (room) => room.split('/')[0];

/** What each room may not import, shown in the editor already. The tidy test is stricter. */
function importWall([room, { imports, types = [] }]) {
  const top = topOf(room);
  const isCore = top === 'core';
  const patterns = Object.keys(rooms)
    .filter((other) => other !== room && !imports.includes(other))
    .filter((other) => (other.includes('/') ? topOf(other) === top : other !== top))
    .map((other) => ({
      regex: `${other.startsWith(`${room}/`) ? '^\\./' : '^(\\.\\./)+'}${other.replace(`${top}/`, '')}/`,
      allowTypeImports: types.includes(other),
      message: `${room} imports ${types.includes(other) ? 'only types of' : 'nothing of'} ${other} (src/README.md).`,
    }));
  if (!isCore) {
    const door = [...imports, ...types].includes('core')
      ? ['!**/core/index.js']
      : imports.includes('core/base')
        ? ['!**/core/base/**']
        : [];
    patterns.push({
      group: ['**/core/**', ...door],
      message: 'The core is used through core/index.js, where it is used at all (src/README.md).',
    });
  }
  if (room !== 'core/node' && room !== 'demo-agent')
    patterns.push({ regex: '^node:child_process$', message: 'Programs are started in core/node only.' });
  if (room !== 'core/node' && !['demo-agent', 'cli'].includes(top))
    patterns.push({ regex: '^node:fs(/|$)', message: 'Files are read and written in core/node only.' });
  const isDivided = Object.keys(rooms).some((other) => other.startsWith(`${room}/`));
  return {
    files: [isDivided ? `src/${room}/*.{ts,tsx}` : `src/${room}/**/*.{ts,tsx}`],
    rules: { 'no-restricted-imports': ['error', { patterns }] },
  };
}

/** @param {string} names */
const errors = (names) =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, 'error']),
  );

/** ESLint's “recommended”, and a few more. */
const everywhere = {
  ...errors(`
    constructor-super for-direction getter-return no-async-promise-executor no-case-declarations no-class-assign no-compare-neg-zero
    no-cond-assign no-const-assign no-constant-binary-expression no-constant-condition no-debugger no-delete-var no-dupe-class-members
    no-dupe-else-if no-dupe-keys no-duplicate-case no-empty no-empty-character-class no-empty-pattern no-empty-static-block no-ex-assign
    no-extra-boolean-cast no-fallthrough no-func-assign no-global-assign no-import-assign no-invalid-regexp no-irregular-whitespace
    no-loss-of-precision no-misleading-character-class no-new-native-nonconstructor no-nonoctal-decimal-escape no-obj-calls
    no-prototype-builtins no-regex-spaces no-self-assign no-setter-return no-shadow-restricted-names no-sparse-arrays
    no-this-before-super no-unassigned-vars no-unexpected-multiline no-unreachable no-unsafe-finally no-unsafe-negation
    no-unsafe-optional-chaining no-unused-labels no-unused-private-class-members no-useless-assignment no-useless-backreference
    no-useless-catch no-useless-escape no-with preserve-caught-error require-yield use-isnan valid-typeof
  `),
  'max-lines': ['error', 450],
  // `== null` is both null and undefined, which JSON and options mix.
  eqeqeq: ['error', 'always', { null: 'ignore' }],
  'no-unused-vars': ['error', { argsIgnorePattern: '^_$', varsIgnorePattern: '^_$', ignoreRestSiblings: true }],
};

/**
 * typescript-eslint's “recommended-type-checked”, and a few more. Without unbound-method: interfaces here declare plain functions as methods,
 * and none of them uses `this`. Without require-await: an interface asks for a promise, and not every implementation has something to wait
 * for.
 */
const typed = {
  ...errors(`
    no-array-constructor no-unused-expressions no-var prefer-const prefer-rest-params prefer-spread import/no-default-export
    typescript/ban-ts-comment typescript/consistent-type-imports typescript/no-duplicate-enum-values typescript/no-empty-object-type
    typescript/no-explicit-any typescript/no-extra-non-null-assertion typescript/no-misused-new typescript/no-namespace
    typescript/no-non-null-asserted-optional-chain typescript/no-non-null-assertion typescript/no-require-imports
    typescript/no-this-alias typescript/no-unnecessary-type-constraint typescript/no-unsafe-declaration-merging
    typescript/no-unsafe-function-type typescript/no-wrapper-object-types typescript/prefer-as-const typescript/prefer-namespace-keyword
    typescript/triple-slash-reference
    typescript/await-thenable typescript/no-array-delete typescript/no-base-to-string typescript/no-duplicate-type-constituents
    typescript/no-floating-promises typescript/no-for-in-array typescript/no-implied-eval typescript/no-misused-promises
    typescript/no-redundant-type-constituents typescript/no-unnecessary-type-assertion typescript/no-unsafe-argument
    typescript/no-unsafe-assignment typescript/no-unsafe-call typescript/no-unsafe-enum-comparison typescript/no-unsafe-member-access
    typescript/no-unsafe-return typescript/no-unsafe-unary-minus typescript/only-throw-error typescript/prefer-promise-reject-errors
    typescript/restrict-plus-operands typescript/restrict-template-expressions
  `),
  'no-console': 'error',
  'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
};

const nodeTest = ['test', 'it', 'describe', 'suite', 'before', 'after', 'beforeEach', 'afterEach'];

export default {
  plugins: ['typescript', 'import'],
  categories: { correctness: 'off' },
  options: { typeAware: true, denyWarnings: true },
  ignorePatterns: ['dist/', 'out/', '.workbench/', 'samples/', 'test/fixtures/'],
  rules: everywhere,
  overrides: [
    { files: ['**/*.{ts,tsx}'], rules: typed },
    { files: ['**/*.{js,mjs,cjs}'], env: { node: true, es2024: true }, rules: { 'no-undef': 'error', 'no-redeclare': 'error' } },
    { files: ['src/demo-agent/**/*.ts', 'src/cli/**/*.ts'], rules: { 'no-console': ['error', { allow: ['error'] }] } },
    ...Object.entries(rooms).map(importWall),
    {
      files: ['test/**/*.ts'],
      rules: {
        'no-console': 'off',
        // What a test reads of JSON it compares; a wrong shape fails the test.
        'typescript/no-unsafe-argument': 'off',
        'typescript/no-unsafe-assignment': 'off',
        'typescript/no-unsafe-call': 'off',
        'typescript/no-unsafe-member-access': 'off',
        'typescript/no-unsafe-return': 'off',
        // node:test awaits what its own `test` and `describe` return.
        'typescript/no-floating-promises': [
          'error',
          { allowForKnownSafeCalls: [{ from: 'package', package: 'node:test', name: nodeTest }] },
        ],
      },
    },
  ],
};
