/** Compares code of an answer with the active file. The editor is a fake. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editor } from '../fakes/vscodeFake.js';
import { EditorInUse } from '../../src/extension/editor/editorInUse.js';
import { compareCode } from '../../src/extension/editor/answeredCode.js';

test('a comparison replaces only the lines that the code is a new version of', async () => {
  const compared: string[][] = [];
  const documents = {
    open: () => Promise.resolve(),
    openDiff: (...texts: string[]) => Promise.resolve(void compared.push(texts)),
    dispose() {},
  };
  editor.text = '// top\r\nfunction a() {\r\n  return 1;\r\n}\r\n// end\r\n';
  await compareCode('\nfunction a() {\n  return 2;\n}', new EditorInUse(), documents);
  assert.deepEqual(compared[0]?.slice(1), [editor.text, '// top\nfunction a() {\n  return 2;\n}\n// end\n']);
});

test('a comparison ignores the line break at the end of the file, which a code block cannot have', async () => {
  const compared: string[][] = [];
  const documents = {
    open: () => Promise.resolve(),
    openDiff: (...texts: string[]) => Promise.resolve(void compared.push(texts)),
    dispose() {},
  };
  for (const text of ['one\n', 'one', 'one\r\n']) {
    editor.text = text;
    await compareCode('two', new EditorInUse(), documents);
  }
  assert.deepEqual(
    compared.map(([, before, after]) => [before, after]),
    [
      ['one\n', 'two\n'],
      ['one', 'two'],
      ['one\r\n', 'two\n'],
    ],
  );
});
