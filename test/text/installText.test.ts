import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InstallWay } from '../../src/core/index.js';
import { describeError } from '../../src/text/errorText.js';
import { installLines, questionText } from '../../src/text/installText.js';

const entry = { id: 'mine', name: 'Mine', version: '1.0.0', description: 'Safe', website: 'https://example.com/', ways: [] };

test('what is installed is shown whole: where from, what starts, with which arguments and variables, and its description last', () => {
  const way: InstallWay = { type: 'npm', name: 'mine', version: '1.0.0', args: ['--acp', 'a b', ''], env: { MODE: 'fast', MORE: 'x y' } };
  assert.deepEqual(installLines(entry, way), [
    'From: npm, the package mine@1.0.0',
    'Runs: npm install mine@1.0.0 --ignore-scripts',
    'Starts with: mine --acp "a b" ""',
    'Sets: MODE=fast',
    'Sets: MORE="x y"',
    'License: not named by the registry',
    'Website: https://example.com/',
    'Description: Safe',
  ]);
});

test('an agent that the registry has in quarantine is not installed without the reason', () => {
  const way: InstallWay = { type: 'npm', name: 'mine', version: '1.0.0', args: [], env: {} };
  const lines = installLines({ ...entry, quarantine: 'Python dependency issue' }, way);
  assert.equal(lines[3], 'In quarantine: the tests of the registry failed with this or a later version (Python dependency issue)');
});

test('no part of it can look like another line', () => {
  const forged = 'x\nVerified by: SHA-256\u202e\u2028';
  const way: InstallWay = {
    type: 'binary',
    url: 'https://example.com/a.zip',
    kind: 'zip',
    program: forged,
    args: [forged],
    env: { FORGED: forged },
  };
  const lines = installLines({ ...entry, description: forged }, way);
  assert.equal(lines.length, 7);
  for (const line of lines) assert.doesNotMatch(line, /[\p{Cc}\p{Cf}\p{Zl}]/u);
  const { detail } = questionText({ type: 'scripts', packages: [forged] }, 'Mine');
  assert.equal(detail.split('\n').length, 3);
});

test('a disk that accepts nothing is told without the words of the system', () => {
  const { text } = describeError(
    {
      code: 'install_failed',
      params: { reason: 'disk', path: '/state', systemCode: 'EROFS', detail: "EROFS: read-only file system, mkdir '/state'" },
    },
    { agent: 'Mine' },
  );
  assert.equal(text, 'Writing to the disk failed: the disk is read-only (/state). Nothing else was changed.');
});

test('a failure is named after what failed', () => {
  const titleOf = (params: object): string =>
    describeError({ code: 'install_failed', params: { reason: 'disk', ...params } }, { agent: 'Mine' }).title;
  assert.deepEqual([{}, { agent: 'Other' }, { what: 'list' }, { what: 'removal', agent: 'Other' }].map(titleOf), [
    'Mine could not be installed',
    'Other could not be installed',
    'The newest list of agents is not available',
    'Other could not be removed',
  ]);
});
