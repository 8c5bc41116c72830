import { readFileSync } from 'node:fs';
import eslint from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

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
  if (!isCore)
    patterns.push({
      regex: [...imports, ...types].includes('core')
        ? '/core/(?!index\\.js$)'
        : imports.includes('core/base')
          ? '/core/(?!base/)'
          : '/core/',
      message: `The core is used through core/index.js, where it is used at all (src/README.md).`,
    });
  if (room !== 'core/node' && room !== 'demo-agent')
    patterns.push({ regex: '^node:child_process$', message: 'Programs are started in core/node only.' });
  if (room !== 'core/node' && !['demo-agent', 'cli'].includes(top))
    patterns.push({ regex: '^node:fs(/|$)', message: 'Files are read and written in core/node only.' });
  const isDivided = Object.keys(rooms).some((other) => other.startsWith(`${room}/`));
  return {
    files: [isDivided ? `src/${room}/*.{ts,tsx}` : `src/${room}/**/*.{ts,tsx}`],
    rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns }] },
  };
}

const plainTypeScript = [
  { selector: 'ExportDefaultDeclaration', message: 'A name is given once, where the thing is: no default exports.' },
  { selector: 'TSEnumDeclaration', message: 'A union of literals, or an object `as const`.' },
  { selector: 'TSAsExpression > TSAsExpression[typeAnnotation.type="TSUnknownKeyword"]', message: 'Parse it instead.' },
];
const domFromNodes = [
  { selector: 'MemberExpression[property.name=/^(inner|outer)HTML$/]', message: 'DOM is built from nodes.' },
  { selector: 'CallExpression[callee.property.name="insertAdjacentHTML"]', message: 'DOM is built from nodes.' },
];

export default defineConfig(
  globalIgnores(['dist/', 'out/', 'node_modules/', '.workbench/', 'samples/', 'test/fixtures/']),
  eslint.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    // The rules that need types are in .oxlintrc.json, whose linter has them in a fifth of the time.
    extends: [tseslint.configs.recommended],
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      'no-restricted-syntax': ['error', ...plainTypeScript, ...domFromNodes],
      'max-lines': ['error', 450],
      // `== null` is both null and undefined, which JSON and options mix.
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      // Control characters are what several expressions look for in an agent's text.
      'no-control-regex': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_$', varsIgnorePattern: '^_$', ignoreRestSiblings: true }],
      'no-console': 'error',
    },
  },
  { files: ['src/demo-agent/**/*.ts', 'src/cli/**/*.ts'], rules: { 'no-console': ['error', { allow: ['error'] }] } },
  ...Object.entries(rooms).map(importWall),
  {
    files: ['test/**/*.ts'],
    rules: {
      'no-console': 'off',
      // A test may read what the page made of a text.
      'no-restricted-syntax': ['error', ...plainTypeScript],
    },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'process',
          'console',
          'Buffer',
          'URL',
          'performance',
          'setTimeout',
          'clearTimeout',
          'setInterval',
          'clearInterval',
          'setImmediate',
          'fetch',
          'AbortController',
          'AbortSignal',
          'TextDecoder',
          'TextEncoder',
          'structuredClone',
          'queueMicrotask',
          'require',
          'module',
          '__filename',
        ].map((name) => [name, 'readonly']),
      ),
    },
    rules: {
      'max-lines': ['error', 450],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-unused-vars': ['error', { ignoreRestSiblings: true }],
    },
  },
);
