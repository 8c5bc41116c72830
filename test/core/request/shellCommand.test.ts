import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { commandIn, unwrapShell } from '../../../src/core/index.js';

test('a shell around a single command is removed', () => {
  const same: Readonly<Record<string, string>> = {
    "bash -lc 'npm test'": 'npm test',
    "/bin/bash -lc 'npm test'": 'npm test',
    '/usr/bin/env bash': '/usr/bin/env bash',
    'sh -c "echo \\"a b\\""': 'echo "a b"',
    "zsh -l -c 'a | b && c'": 'a | b && c',
    "bash -lc 'it'\\''s'": "it's",
    'bash -c ls': 'ls',
    "bash -lc 'sh -c ls'": 'ls',
    "bash -lc 'line one\nline two'": 'line one\nline two',
  };
  for (const [line, command] of Object.entries(same)) assert.equal(unwrapShell(line), command);
});

test('any other shell command stays unchanged', () => {
  const lines = [
    'npm test',
    'bash script.sh',
    "bash -lc 'a' b",
    "bash -lc 'a' && rm -rf b",
    "bash -lc 'a'; rm b",
    'bash -c "$HOME/x"',
    'bash -c `x`',
    "FOO=1 bash -c 'a'",
    "bash -lc 'a",
    'bash -lc',
    "bash -lc ''",
    "mybash -lc 'a'",
    'git push -c foo',
  ];
  for (const line of lines) assert.equal(unwrapShell(line), line);
});

test('a list of arguments is quoted, and a shell in it removed', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (text) => {
      fc.pre(text.trim() === text);
      const line = commandIn({ command: ['bash', '-lc', text] });
      assert.equal(unwrapShell(line ?? ''), text);
    }),
  );
});
