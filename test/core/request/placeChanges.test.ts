/** What a request says about the files that it changes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describePermission, shownHunk } from '../../../src/core/request/describePermission.js';
import type { FileText, PermissionDescription } from '../../../src/core/request/description.js';
import type { PermissionSubject } from '../../../src/core/session/userRequest.js';
import { placeText, unsavedText } from '../../../src/text/requestText.js';
import { permissionOf } from './permissionOf.js';

const cwd = '/project';
type Files = Readonly<Record<string, FileText>>;

function described(
  files: Files,
  ...changes: readonly (readonly [path: string, oldText: string | null, newText: string])[]
): PermissionDescription {
  const content = changes.map(([path, oldText, newText]) => ({ type: 'diff', path, oldText, newText }) as const);
  return of(files, { toolKind: 'edit', content });
}

function of(files: Files, subject: Partial<PermissionSubject>): PermissionDescription {
  return describePermission(permissionOf(subject), { cwd, behindLinks: () => undefined, textOf: (path) => files[path] });
}

/** The line of each change, and what is said about it. */
const places = ({ parts }: PermissionDescription) =>
  parts.flatMap((part) => (part.type === 'diff' ? [[shownHunk(part)?.firstLine, part.placed && placeText(part.placed)]] : []));
const after = ({ files }: PermissionDescription) => files.map(({ path, after: text }) => [path, text]);

const lines = (...texts: readonly string[]): string => texts.map((text) => `${text}\n`).join('');
const numbers = lines('1', '2', '3', '4', '5', '6', '7', '8', '9');

describe('the changes of a request in their files', () => {
  it('each has its own line, and together they make the file', () => {
    const changes = described({ '/project/a': { text: numbers } }, ['a', '9\n', 'nine\n'], ['/project/a', '1\n', ''], ['a', '5', 'five']);
    assert.deepEqual(places(changes), [
      [6, undefined],
      [1, undefined],
      [2, undefined],
    ]);
    assert.deepEqual(after(changes), [['/project/a', lines('2', '3', '4', 'five', '6', '7', '8', 'nine')]]);
  });

  it('one may only fit what the one before it leaves', () => {
    const changes = described({ '/project/a': { text: numbers } }, ['a', '5\n', 'new\n'], ['a', 'new\n', 'newer\n']);
    assert.deepEqual(places(changes), [
      [2, undefined],
      [2, undefined],
    ]);
    assert.deepEqual(after(changes), [['/project/a', numbers.replace('5', 'newer')]]);
  });

  it('a file that one of them does not fit is no proposal, and others are', () => {
    const files = { '/project/a': { text: numbers }, '/project/b': { text: numbers }, '/project/c': { text: null } };
    const changes = described(files, ['a', '5', 'x'], ['a', 'gone', 'x'], ['b', '5', 'x'], ['c', null, 'new\n'], ['d', '5', 'x']);
    assert.deepEqual(places(changes), [
      [2, undefined],
      [undefined, 'Does not match the file any more'],
      [2, undefined],
      [1, undefined],
      [undefined, undefined],
    ]);
    assert.deepEqual(after(changes), [
      ['/project/b', numbers.replace('5', 'x')],
      ['/project/c', 'new\n'],
    ]);
  });

  it('says what is unusual', () => {
    const files = { '/project/a': { text: `${numbers}5\n` }, '/project/none': { text: null } };
    const changes = described(files, ['a', '5', 'x'], ['a', 'x', '5\n'], ['none', 'x', 'y'], ['a', null, 'all'], ['a', '4\n', '4\n5\n']);
    assert.deepEqual(places(changes), [
      [undefined, 'Fits in 2 places: lines 5, 10'],
      [undefined, 'Is already in the file'],
      [undefined, 'The file does not exist'],
      [1, 'Replaces the whole file'],
      [2, 'The file already has the new text there'],
    ]);
  });

  it('what an agent appends is at the end', () => {
    const content = [{ type: 'diff', path: 'a', oldText: null, newText: '10\n' }] as const;
    const changes = of({ '/project/a': { text: numbers } }, { toolKind: 'edit', rawInput: { file_path: 'a', append: true }, content });
    assert.deepEqual(places(changes), [[7, undefined]]);
    assert.deepEqual(after(changes), [['/project/a', `${numbers}10\n`]]);
  });

  it('what an agent replaces everywhere is replaced in all places, whatever the line endings', () => {
    const content = [{ type: 'diff', path: 'a', oldText: '5\n', newText: 'five\n' }] as const;
    const all = (text: string, rawInput: unknown) => of({ '/project/a': { text } }, { toolKind: 'edit', rawInput, content });
    const four = `5\n${numbers}5\n5\n`;
    for (const rawInput of [{ replace_all: true }, { replaceAll: true }, { edits: [{ replace_all: true }] }]) {
      const changes = all(four, rawInput);
      assert.deepEqual(places(changes), [[1, 'Replaces 4 places: lines 1, 6, 11, …']]);
      assert.deepEqual(after(changes), [['/project/a', four.replaceAll('5', 'five')]]);
    }
    const windows = all(four.replaceAll('\n', '\r\n'), { replace_all: true });
    assert.deepEqual(after(windows), [['/project/a', four.replaceAll('5', 'five').replaceAll('\n', '\r\n')]]);
    assert.deepEqual(places(all(four, { edits: [{}, { replace_all: true }] })), [[undefined, 'Fits in 4 places: lines 1, 6, 11, …']]);
    assert.deepEqual(places(all(numbers, { replace_all: true })), [[2, undefined]]);
  });

  it('unsaved text comes first, and is named; what only fits the saved file says so', () => {
    const files: Files = { '/project/a': { text: `mine\n${numbers}`, isUnsaved: true, saved: numbers }, '/project/b': { text: numbers } };
    const changes = described(files, ['a', '5', 'x'], ['b', '5', 'x']);
    assert.deepEqual(places(changes), [
      [3, undefined],
      [2, undefined],
    ]);
    assert.deepEqual(places(described({ '/project/a': { ...files['/project/a'], text: 'mine\n' } }, ['a', '5', 'x'])), [
      [2, 'Fits the saved file, not the unsaved changes'],
    ]);
    assert.deepEqual(changes.unsaved, [{ path: '/project/a', label: 'a' }]);
    const whole = described(files, ['a', numbers, 'all\n']);
    assert.deepEqual(places(whole), [[1, 'Fits the saved file, not the unsaved changes']]);
    assert.deepEqual(after(whole), [['/project/a', 'all\n']]);
    assert.deepEqual(of(files, { toolKind: 'delete', rawInput: { path: 'a' } }).unsaved, [{ path: '/project/a', label: 'a' }]);
    assert.deepEqual(of(files, { toolKind: 'read', rawInput: { path: 'a' } }).unsaved, []);
    assert.equal(unsavedText(['a', 'b\n']), 'a and b<U+000A> have unsaved changes');
  });

  it('many changes of a large file take linear time', () => {
    const text = 'x'.repeat(1_000_000);
    const changes = Array.from({ length: 5_000 }, () => ['a', 'y', 'z'] as const);
    const placed = described({ '/project/a': { text } }, ...changes).parts.filter(
      (part) => part.type === 'diff' && part.placed !== undefined,
    );
    assert.equal(placed.length, 50);
  });
});
