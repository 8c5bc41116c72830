/** Files that are open in an editor are taken back there, and are exactly as before on disk. */
import assert from 'node:assert/strict';
import { chmodSync, readFileSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { EditorTexts } from '../../../../src/core/services/changes/workingFiles.js';
import { type ChangesLab, changesLab, filesIn, posixOnly, type Worker } from './changesLab.js';

const text = (...changed: readonly (readonly [number, string])[]): string => {
  const lines = Array.from({ length: 20 }, (_, line) => `line ${line}`);
  for (const [line, words] of changed) lines[line] = words;
  return `${lines.join('\n')}\n`;
};

/** An editor with open documents, by their paths. */
class Editor implements EditorTexts {
  readonly documents = new Map<string, string>();
  readonly dirty = new Set<string>();
  readonly edits: string[] = [];
  /** What the editor makes of a text when it saves it. */
  onSave = (content: string): string => content;

  unsaved(paths: readonly string[]): Promise<Readonly<Record<string, string>>> {
    return Promise.resolve(
      Object.fromEntries(paths.filter((one) => this.dirty.has(one)).map((one) => [one, this.documents.get(one) ?? ''])),
    );
  }

  edit(texts: Readonly<Record<string, string>>): Promise<readonly string[]> {
    const open = Object.entries(texts).filter(([file]) => this.documents.has(file));
    for (const [file, content] of open) {
      this.documents.set(file, content);
      this.edits.push(path.basename(file));
      if (!this.dirty.has(file)) writeFileSync(file, this.onSave(content));
    }
    return Promise.resolve(open.map(([file]) => file));
  }
}

interface Workplace {
  readonly lab: ChangesLab;
  readonly editor: Editor;
  readonly worker: Worker;
  at(name: string): string;
  write(name: string, content: string | Buffer): void;
  read(name: string): string;
}

async function workplace(t: Parameters<typeof changesLab>[0], files: Readonly<Record<string, string | Buffer>>): Promise<Workplace> {
  const lab = await changesLab(t, {
    prepare: (work) => Object.entries(files).forEach(([name, content]) => writeFileSync(path.join(work, name), content)),
  });
  symlinkSync(lab.folder, `${lab.folder}-link`);
  const editor = new Editor();
  // The editor has the folder under another name.
  const cwd = `${lab.folder}-link`;
  const at = (name: string): string => path.join(cwd, name);
  return {
    lab,
    editor,
    worker: lab.worker({ editor, cwd }),
    at,
    write: (name, content) => writeFileSync(at(name), content),
    read: (name) => readFileSync(at(name), 'latin1'),
  };
}

describe('an undo', { skip: posixOnly }, () => {
  it('goes through the editor for what is open there, and to disk for the rest', async (t) => {
    const { editor, worker, at, write, read } = await workplace(t, { open: 'a', closed: 'a', same: 'a' });
    await worker.turn(() => ['open', 'closed'].forEach((name) => write(name, 'b')));
    for (const name of ['open', 'same']) editor.documents.set(at(name), read(name));
    assert.deepEqual((await worker.undo()).undone, ['closed', 'open']);
    assert.deepEqual([editor.edits, editor.documents.get(at('open')), read('open'), read('closed')], [['open'], 'a', 'a', 'a']);
  });

  it('changes nothing while the editor hangs, which may have unsaved text', async (t) => {
    const { editor, worker, write, read } = await workplace(t, { a: 'a' });
    await worker.turn(() => write('a', 'b'));
    const asked = new Promise<void>((resolve) => {
      editor.unsaved = () => {
        resolve();
        return new Promise(() => {});
      };
    });
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const refused = assert.rejects(worker.undo(), { code: 'changes_unknown', params: { reason: 'editor_hangs' } });
    await asked;
    t.mock.timers.tick(10_000);
    await refused;
    assert.equal(read('a'), 'b');
  });

  it('leaves a file that the editor does not finish changing', async (t) => {
    const { editor, worker, at, write, read } = await workplace(t, { a: 'a', closed: 'a' });
    await worker.turn(() => ['a', 'closed'].forEach((name) => write(name, 'b')));
    editor.documents.set(at('a'), 'b');
    const asked = new Promise<void>((resolve) => {
      editor.edit = () => {
        resolve();
        return new Promise(() => {});
      };
    });
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const undone = worker.undo();
    await asked;
    t.mock.timers.tick(60_000);
    const why = { why: 'refused', detail: 'editor_hangs' };
    assert.deepEqual(await undone, { undone: [], left: ['a', 'closed'].map((name) => ({ path: name, ...why })) });
    assert.deepEqual([read('a'), read('closed')], ['b', 'b']);
  });

  it('merges into unsaved text, and leaves that unsaved', async (t) => {
    const { editor, worker, at, write, read } = await workplace(t, { a: text(), b: text(), c: text() });
    for (const name of ['a', 'b', 'c']) editor.documents.set(at(name), text());
    await worker.turn(() => ['a', 'b', 'c'].forEach((name) => write(name, text([2, 'agent']))));
    editor.documents.set(at('a'), text([2, 'agent'], [10, 'user']));
    editor.documents.set(at('b'), text([2, 'user']));
    for (const name of ['a', 'b']) editor.dirty.add(at(name));
    const { undone, left } = await worker.undo();
    assert.deepEqual([undone, left], [['a', 'c'], [{ path: 'b', why: 'changed' }]]);
    assert.deepEqual([editor.documents.get(at('a')), read('a')], [text([10, 'user']), text([2, 'agent'])]);
    assert.deepEqual([editor.documents.get(at('b')), read('b')], [text([2, 'user']), text([2, 'agent'])]);
    assert.deepEqual([editor.documents.get(at('c')), read('c')], [text(), text()]);
  });

  it('takes back the file under unsaved text that never had the change, so that the text can be saved', async (t) => {
    const { editor, worker, at, write, read } = await workplace(t, { a: text(), b: text(), c: text() });
    for (const name of ['a', 'b', 'c']) {
      editor.documents.set(at(name), text([10, 'user']));
      editor.dirty.add(at(name));
    }
    await worker.turn(() => ['a', 'b', 'c'].forEach((name) => write(name, text([2, 'agent']))));
    write('b', text([2, 'agent'], [15, 'other']));
    write('c', text([2, 'other']));
    const { id = '', undone, left } = await worker.undo();
    assert.deepEqual([undone, left, editor.edits], [['a', 'b', 'c'], [], []]);
    for (const name of ['a', 'b', 'c']) assert.equal(editor.documents.get(at(name)), text([10, 'user']));
    assert.deepEqual([read('a'), read('b'), read('c')], [text(), text([15, 'other']), text([2, 'other'])]);
    // The change is made again in the text, with which it is saved.
    assert.deepEqual((await worker.undo([id])).left, []);
    assert.deepEqual(
      ['a', 'b'].map((name) => editor.documents.get(at(name))),
      [text([2, 'agent'], [10, 'user']), text([2, 'agent'], [10, 'user'])],
    );
  });

  it('leaves a file whose unsaved text has the change with other words', async (t) => {
    const { editor, worker, at, write, read } = await workplace(t, { a: text() });
    const agent = text([2, 'line 2\nagent 1\nagent 2\nagent 3']);
    await worker.turn(() => write('a', agent));
    editor.documents.set(at('a'), agent.replace('agent 2', 'user'));
    editor.dirty.add(at('a'));
    assert.deepEqual((await worker.undo()).left, [{ path: 'a', why: 'changed' }]);
    assert.equal(read('a'), agent);
  });

  it('gives back what a command removed, moved, replaced or made a program under unsaved text, which stays', async (t) => {
    const names = ['edited', 'mode', 'moved', 'removed', 'replaced'];
    const crlf = text().replaceAll('\n', '\r\n');
    const { lab, editor, worker, at, write } = await workplace(t, Object.fromEntries(names.map((name) => [name, crlf])));
    const before = await filesIn(lab.folder);
    for (const name of names) {
      editor.documents.set(at(name), `${crlf}mine`);
      editor.dirty.add(at(name));
    }
    // No tool call names one of them.
    await worker.turn(() => {
      write('edited', text([2, 'agent']));
      chmodSync(at('mode'), 0o755);
      renameSync(at('moved'), at('elsewhere'));
      unlinkSync(at('removed'));
      unlinkSync(at('replaced'));
      symlinkSync('edited', at('replaced'));
    });
    const after = await filesIn(lab.folder);
    const { id = '', left } = await worker.undo();
    assert.deepEqual([left, editor.edits], [[], []]);
    assert.deepEqual(await filesIn(lab.folder), before);
    for (const name of names) assert.equal(editor.documents.get(at(name)), `${crlf}mine`);
    // It can be done again under the text, too.
    const redo = await worker.undo([id]);
    for (const name of names) assert.match(editor.documents.get(at(name)) ?? '', /mine$/);
    const now = await filesIn(lab.folder);
    for (const [name, file] of after) if (redo.undone.includes(name)) assert.deepEqual(now.get(name), file, name);
  });

  it('is exact whatever the editor makes of a text when it saves it', async (t) => {
    const { editor, worker, at, write, read } = await workplace(t, { a: 'no end  ', b: 'a\r\nb\nc', c: '\uFEFFmark\n', d: 'plain\n' });
    editor.onSave = (content) => `${content.replace(/[ \r]+$/gm, '')}\n`;
    await worker.turn(() => {
      for (const name of ['a', 'b', 'c']) write(name, 'agent\n');
      write('d', '\uFEFFagent\n');
    });
    for (const name of ['a', 'b', 'c', 'd']) editor.documents.set(at(name), 'agent\n');
    assert.deepEqual((await worker.undo()).left, []);
    assert.deepEqual(['a', 'b', 'c', 'd'].map(read), ['no end  ', 'a\r\nb\nc', '\xef\xbb\xbfmark\n', 'plain\n']);
    // The editor has no text for the mark.
    assert.equal(editor.documents.get(at('c')), 'mark\n');
  });

  it('does not send to the editor what is no text, and takes back modes there, too', async (t) => {
    const bytes = Buffer.from('caf\xe9\n', 'latin1');
    const { editor, worker, at, write, read } = await workplace(t, { latin: bytes, binary: Buffer.from([0, 1]), mode: 'x', link: 'x' });
    await worker.turn(() => {
      for (const name of ['latin', 'binary']) write(name, 'agent\n');
      for (const name of ['mode', 'latin']) chmodSync(at(name), 0o755);
    });
    for (const name of ['latin', 'binary', 'mode', 'link']) editor.documents.set(at(name), 'agent\n');
    editor.dirty.add(at('link'));
    assert.deepEqual((await worker.undo()).left, []);
    assert.deepEqual([read('latin'), read('binary'), read('mode')], ['caf\xe9\n', '\0\x01', 'x']);
    // A text without a NUL is sent, because it is one.
    assert.deepEqual(editor.edits, ['binary']);
  });

  it('works without an editor, and if it fails', async (t) => {
    const { lab, write, read } = await workplace(t, { a: 'a' });
    const worker = lab.worker({
      editor: { unsaved: () => Promise.reject(new Error('gone')), edit: () => Promise.reject(new Error('gone')) },
    });
    await worker.turn(() => write('a', 'b'));
    assert.deepEqual((await worker.undo()).undone, ['a']);
    assert.equal(read('a'), 'a');
  });

  it('leaves what the user changes between the look at it and the undo', async (t) => {
    const { editor, worker, write, read } = await workplace(t, { a: 'a', b: 'a' });
    await worker.turn(() => ['a', 'b'].forEach((name) => write(name, 'b')));
    t.mock.method(editor, 'edit', () => {
      write('b', 'user');
      return Promise.resolve([]);
    });
    assert.deepEqual((await worker.undo()).left, [{ path: 'b', why: 'changed' }]);
    assert.deepEqual([read('a'), read('b')], ['a', 'user']);
  });
});
