/** Agents read and write what the editor shows, and nothing of the user's is replaced that they do not know. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { agentFileLimitBytes, createAgentFiles, FileRefusal, type FileRefusalReason } from '../../../src/core/services/agentFiles.js';
import type { EditorTexts } from '../../../src/core/services/changes/workingFiles.js';
import type { AgentFiles, NewRequest } from '../../../src/core/services/hostServices.js';
import { selectOption, type UserAnswer } from '../../../src/core/session/userRequest.js';

const posixOnly = process.platform === 'win32' ? 'needs links and modes' : false;
const { signal } = new AbortController();

interface Lab {
  readonly files: AgentFiles;
  /** Without links. */
  readonly folder: string;
  readonly outside: string;
  readonly asked: NewRequest[];
  readonly written: string[];
  /** The unsaved texts of the editor, by path. */
  readonly unsaved: Map<string, string>;
  readonly editor: EditorTexts;
  at(name: string): string;
  /** The editor does not answer any more. @returns waits until it was asked, and lets the time pass */
  hangs(call: keyof EditorTexts, t: TestContext): (ms: number) => Promise<void>;
}

/** @param answer how the user answers each request */
async function lab(t: Pick<TestContext, 'after'>, answer: 'allow' | 'reject' = 'reject'): Promise<Lab> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'acp-host-agent-files-')));
  t.after(() => rm(root, { recursive: true, force: true }));
  const [folder, outside] = [path.join(root, 'work'), path.join(root, 'outside')];
  await Promise.all([mkdir(folder), mkdir(outside)]);
  const asked: NewRequest[] = [];
  const written: string[] = [];
  const unsaved = new Map<string, string>();
  const editor: EditorTexts = {
    unsaved: async (paths) => Object.fromEntries(paths.flatMap((one) => (unsaved.has(one) ? [[one, unsaved.get(one) ?? '']] : []))),
    // Only what has unsaved text is open in this editor.
    edit: async (texts, saves) =>
      Object.entries(texts).flatMap(([name, text]) => {
        if (!unsaved.has(name)) return [];
        assert.equal(saves, true);
        unsaved.delete(name);
        writeFileSync(name, text);
        return [name];
      }),
  };
  const files = createAgentFiles({
    sessionId: 's',
    folder,
    editor: { unsaved: (paths) => editor.unsaved(paths), edit: (texts, saves) => editor.edit(texts, saves) },
    requestUser: async (request): Promise<UserAnswer> => {
      asked.push(request);
      return selectOption(answer);
    },
    onWritten: (one) => void written.push(one),
  });
  const hangs: Lab['hangs'] = (call, { mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const asked = new Promise<void>((resolve) => {
      editor[call] = (): Promise<never> => {
        resolve();
        return new Promise(() => {});
      };
    });
    return async (ms) => {
      await asked;
      mock.timers.tick(ms);
    };
  };
  return { files, folder, outside, asked, written, unsaved, editor, at: (name) => path.join(folder, name), hangs };
}

const refusedAs =
  (...reasons: readonly FileRefusalReason[]) =>
  (error: unknown): boolean =>
    error instanceof FileRefusal && reasons.includes(error.reason);

describe('a file that an agent reads through the host', () => {
  it('has the unsaved text of the editor, then the text on disk', async (t) => {
    const { files, at, unsaved } = await lab(t);
    writeFileSync(at('a.txt'), 'saved');
    assert.equal(await files.readText(at('a.txt'), {}, signal), 'saved');
    unsaved.set(at('a.txt'), 'typed');
    assert.equal(await files.readText(at('a.txt'), {}, signal), 'typed');
  });

  it('has the text on disk if the editor hangs', async (t) => {
    const { files, at, hangs } = await lab(t);
    writeFileSync(at('a.txt'), 'saved');
    const pass = hangs('unsaved', t);
    const read = files.readText(at('a.txt'), {}, signal);
    await pass(10_000);
    assert.equal(await read, 'saved');
  });

  it('has the lines that were asked for, with their ends', async (t) => {
    const { files, at } = await lab(t);
    const text = 'one\r\ntwo\n\nfour';
    writeFileSync(at('a.txt'), text);
    const read = (line?: number, limit?: number): Promise<string> => files.readText(at('a.txt'), { line, limit }, signal);
    assert.deepEqual(await Promise.all([read(2, 1), read(2), read(1, 0), read(undefined, 2), read(4, 9), read(5), read(9, 1)]), [
      'two\n',
      'two\n\nfour',
      '',
      'one\r\ntwo\n',
      'four',
      '',
      '',
    ]);
    const parts = await Promise.all([1, 2, 3, 4].map((line) => read(line, 1)));
    assert.equal(parts.join(''), text);
  });

  it('that does not exist is said to be missing, and is not empty', async (t) => {
    const { files, at } = await lab(t);
    mkdirSync(at('d'));
    await assert.rejects(files.readText(at('no/such.txt'), {}, signal), refusedAs('missing'));
    await assert.rejects(files.readText(at('d'), {}, signal), refusedAs('folder'));
    await assert.rejects(files.readText('a.txt', {}, signal), refusedAs('relative'));
    await assert.rejects(files.readText(at('a\0.txt'), {}, signal), refusedAs('relative'));
    await assert.rejects(files.readText(at('x'.repeat(5000)), {}, signal), refusedAs('too_long'));
  });

  it('is refused if it is no text, a pipe, or too large', async (t) => {
    const { files, at } = await lab(t);
    writeFileSync(at('binary'), Buffer.from([1, 0, 2, 3, 4]));
    writeFileSync(at('huge'), Buffer.alloc(agentFileLimitBytes + 1, 'x'));
    if (process.platform !== 'win32') execFileSync('mkfifo', [at('pipe')]);
    for (const name of ['binary', 'huge', ...(process.platform === 'win32' ? [] : ['pipe'])])
      await assert.rejects(files.readText(at(name), {}, signal), refusedAs('not_text', 'not_readable'), name);
  });
});

describe('the user is asked', { skip: posixOnly }, () => {
  const inFolder = ['link.txt', 'linked/secret.txt', 'linked/new.txt', '.env', 'deep/id_rsa', 'innocent.txt', '.netrc'];
  async function strange(answer: 'allow' | 'reject', t: TestContext): Promise<Lab & { readonly names: readonly string[] }> {
    const made = await lab(t, answer);
    const { outside, at } = made;
    writeFileSync(path.join(outside, 'secret.txt'), 'secret');
    symlinkSync(path.join(outside, 'secret.txt'), at('link.txt'));
    symlinkSync(outside, at('linked'));
    mkdirSync(at('deep'));
    for (const name of ['.env', 'deep/id_rsa']) writeFileSync(at(name), 'secret');
    symlinkSync('.env', at('innocent.txt'));
    writeFileSync(at('plain.txt'), 'secret');
    symlinkSync('plain.txt', at('.netrc'));
    return { ...made, names: [...inFolder.map(at), path.join(outside, 'secret.txt'), path.join(at('deep'), '../../outside/new.txt')] };
  }

  it('before a file outside of the folder, or one that holds secrets, is read or written; a refusal leaves it', async (t) => {
    const { files, names, asked, outside, at } = await strange('reject', t);
    for (const name of names) {
      await assert.rejects(files.readText(name, {}, signal), refusedAs('rejected'), name);
      await assert.rejects(files.writeText(name, 'mine', signal), refusedAs('rejected'), name);
    }
    assert.equal(asked.length, 2 * names.length);
    assert.deepEqual(await readdir(outside), ['secret.txt']);
    for (const name of [path.join(outside, 'secret.txt'), at('.env'), at('deep/id_rsa')])
      assert.equal(readFileSync(name, 'utf8'), 'secret');
  });

  it('with what the write would change, and the file is then written where the link leads', async (t) => {
    const { files, asked, outside, at } = await strange('allow', t);
    assert.equal(await files.readText(at('link.txt'), {}, signal), 'secret');
    await files.writeText(at('link.txt'), 'mine', signal);
    assert.equal(readFileSync(path.join(outside, 'secret.txt'), 'utf8'), 'mine');
    const [, request] = asked;
    assert.ok(request?.kind === 'permission');
    assert.deepEqual(request.subject.content, [{ type: 'diff', path: at('link.txt'), oldText: 'secret', newText: 'mine' }]);
    assert.deepEqual(
      request.options.map(({ kind }) => kind),
      ['allow_once', 'reject_once'],
    );
    assert.deepEqual([request.byHost, request.subject.locations], [true, [{ path: at('link.txt') }]]);
  });

  it('about nothing else in the folder, also if its name leads over links that stay inside', async (t) => {
    const { files, asked, at } = await lab(t);
    mkdirSync(at('src'));
    symlinkSync('src', at('alias'));
    await files.writeText(at('alias/a.txt'), 'a', signal);
    assert.equal(await files.readText(at('src/../alias/a.txt'), {}, signal), 'a');
    await files.writeText(at('.env.example'), 'NAME=', signal);
    assert.equal(asked.length, 0);
  });
});

describe('a file that an agent writes through the host', () => {
  it('is created with its folders, told once, and keeps its mode', { skip: posixOnly }, async (t) => {
    const { files, at, written } = await lab(t);
    await files.writeText(at('new/deep/a.sh'), 'echo', signal);
    assert.deepEqual(written, [at('new/deep/a.sh')]);
    chmodSync(at('new/deep/a.sh'), 0o772);
    for (const text of ['echo 2', 'echo 2\n'.repeat(20_000)]) {
      await files.writeText(at('new/deep/a.sh'), text, signal);
      assert.equal(statSync(at('new/deep/a.sh')).mode & 0o777, 0o772);
      assert.equal(readFileSync(at('new/deep/a.sh'), 'utf8'), text);
    }
    assert.deepEqual(await readdir(at('new/deep')), ['a.sh']);
  });

  it('is never a folder', async (t) => {
    const { files, at } = await lab(t);
    mkdirSync(at('empty'));
    await assert.rejects(files.writeText(at('empty'), 'x', signal), refusedAs('folder'));
    assert.ok(statSync(at('empty')).isDirectory());
  });

  it('keeps its encoding and its byte order mark, and is not written if the encoding lacks a character', async (t) => {
    const { files, at } = await lab(t);
    const forms: Readonly<Record<string, (text: string) => Buffer>> = {
      'utf8.txt': (text) => Buffer.from(text),
      'mark.txt': (text) => Buffer.from(`\uFEFF${text}`),
      'little.txt': (text) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
      'big.txt': (text) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
      'latin1.txt': (text) => Buffer.from(text, 'latin1'),
    };
    for (const [name, encode] of Object.entries(forms)) {
      writeFileSync(at(name), encode('caf\u00e9\r\n'));
      assert.equal(await files.readText(at(name), {}, signal), 'caf\u00e9\r\n', name);
      await files.writeText(at(name), 'th\u00e9\r\n', signal);
      assert.deepEqual(readFileSync(at(name)), encode('th\u00e9\r\n'), name);
    }
    await assert.rejects(files.writeText(at('latin1.txt'), '\u2192', signal), refusedAs('encoding'));
    assert.deepEqual(readFileSync(at('latin1.txt')), Buffer.from('th\u00e9\r\n', 'latin1'));
  });

  it('over unsaved text that the agent has not read only if the user allows it', async (t) => {
    for (const answer of ['allow', 'reject'] as const) {
      const { files, at, unsaved, asked } = await lab(t, answer);
      writeFileSync(at('a.txt'), 'saved');
      await files.readText(at('a.txt'), {}, signal);
      unsaved.set(at('a.txt'), 'typed');
      const writing = files.writeText(at('a.txt'), 'mine', signal);
      if (answer === 'allow') await writing;
      else await assert.rejects(writing, refusedAs('rejected'));
      assert.equal(asked.length, 1);
      assert.equal(unsaved.get(at('a.txt')), answer === 'allow' ? undefined : 'typed');
      assert.equal(readFileSync(at('a.txt'), 'utf8'), answer === 'allow' ? 'mine' : 'saved');
    }
  });

  it('is as the editor saved it, and not written while the editor has unsaved text', async (t) => {
    const { files, at, unsaved, editor, asked } = await lab(t);
    unsaved.set(at('a.txt'), 'typed');
    await files.readText(at('a.txt'), {}, signal);
    editor.edit = async () => [];
    await assert.rejects(files.writeText(at('a.txt'), 'mine', signal), refusedAs('unsaved'));
    assert.deepEqual(await readdir(path.dirname(at('a.txt'))), []);
    editor.edit = async () => {
      writeFileSync(at('a.txt'), 'formatted');
      return [at('a.txt')];
    };
    await files.writeText(at('a.txt'), 'mine', signal);
    assert.equal(readFileSync(at('a.txt'), 'utf8'), 'formatted');
    assert.equal(asked.length, 0);
  });

  it('is not written if it changed while the user was asked, but is if the user only saved what was shown', async (t) => {
    for (const [meanwhile, isWritten] of [
      ['the user goes on', false],
      ['typed', true],
    ] as const) {
      const { folder, at } = await lab(t);
      writeFileSync(at('.env'), 'typed');
      const files = createAgentFiles({
        sessionId: 's',
        folder,
        editor: undefined,
        requestUser: async () => {
          writeFileSync(at('.env'), meanwhile);
          return selectOption('allow');
        },
        onWritten: () => {},
      });
      const writing = files.writeText(at('.env'), 'mine', signal);
      if (isWritten) await writing;
      else await assert.rejects(writing, refusedAs('changed'));
      assert.equal(readFileSync(at('.env'), 'utf8'), isWritten ? 'mine' : meanwhile);
    }
  });

  it('is refused once if it has changed on disk since the agent read it', async (t) => {
    const { files, at, asked } = await lab(t);
    writeFileSync(at('a.txt'), 'one');
    await files.readText(at('a.txt'), {}, signal);
    writeFileSync(at('a.txt'), 'the user has saved');
    await assert.rejects(files.writeText(at('a.txt'), 'two', signal), refusedAs('changed'));
    assert.equal(readFileSync(at('a.txt'), 'utf8'), 'the user has saved');
    await files.writeText(at('a.txt'), 'two', signal);
    await files.writeText(at('a.txt'), 'three', signal);
    await assert.rejects(files.writeText(at('a.txt'), 'x'.repeat(agentFileLimitBytes + 1), signal), refusedAs('too_large'));
    assert.equal(readFileSync(at('a.txt'), 'utf8'), 'three');
    assert.equal(asked.length, 0);
  });

  it('is refused if the editor hangs, and neither waits for ever nor replaces unsaved text', async (t) => {
    const { files, at, hangs } = await lab(t);
    writeFileSync(at('a.txt'), 'saved');
    await files.readText(at('a.txt'), {}, signal);
    const pass = hangs('unsaved', t);
    const refused = assert.rejects(files.writeText(at('a.txt'), 'mine', signal), refusedAs('editor_hangs'));
    await pass(10_000);
    await refused;
    assert.equal(readFileSync(at('a.txt'), 'utf8'), 'saved');
  });

  it('is refused if the editor hangs as it saves the file, and may be saved after all', async (t) => {
    const { files, at, hangs, written } = await lab(t);
    writeFileSync(at('a.txt'), 'saved');
    const pass = hangs('edit', t);
    const refused = assert.rejects(files.writeText(at('a.txt'), 'mine', signal), refusedAs('editor_hangs'));
    await pass(60_000);
    await refused;
    assert.deepEqual([readFileSync(at('a.txt'), 'utf8'), written], ['saved', []]);
  });

  it('ends as the last of many calls, in their order', async (t) => {
    const { files, at } = await lab(t);
    const texts = Array.from({ length: 50 }, (_, index) => `${index}`);
    const calls = texts.map((text) => files.writeText(at('a.txt'), text, signal));
    const read = files.readText(at('a.txt'), {}, signal);
    await Promise.all(calls);
    assert.equal(await read, '49');
    assert.deepEqual(await readdir(path.dirname(at('a.txt'))), ['a.txt']);
  });

  it('where a path leads to another place while it is written', { skip: posixOnly }, async (t) => {
    const { files, at, outside, unsaved } = await lab(t, 'allow');
    mkdirSync(at('d'));
    writeFileSync(at('d/.env'), 'secret');
    // The question is answered when the folder has become a link.
    const swapped = createAgentFiles({
      sessionId: 's',
      folder: path.dirname(at('d')),
      editor: undefined,
      requestUser: async () => {
        rmSync(at('d'), { recursive: true });
        symlinkSync(outside, at('d'));
        return selectOption('allow');
      },
      onWritten: () => {},
    });
    await assert.rejects(swapped.writeText(at('d/.env'), 'mine', signal), refusedAs('moved', 'changed'));
    assert.deepEqual(await readdir(outside), []);
    assert.equal(unsaved.size, 0);
    await assert.rejects(files.readText(at('d/none'), {}, signal), refusedAs('missing'));
  });
});

type Step = { readonly who: 'agent reads' | 'agent writes' | 'user types' | 'user saves' | 'disk changes'; readonly name: 'a' | 'b' };
const anyStep: fc.Arbitrary<Step> = fc.record({
  who: fc.constantFrom('agent reads', 'agent writes', 'user types', 'user saves', 'disk changes'),
  name: fc.constantFrom('a', 'b'),
});

it('whatever the order, an agent replaces only what it knows or has never read, and reads what the user sees', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 25 }), async (steps) => {
      const ends: (() => unknown)[] = [];
      const { files, at, unsaved, asked } = await lab({ after: (end) => void ends.push(end as () => unknown) });
      const onDisk = new Map<string, string>();
      const known = new Map<string, string>();
      let count = 0;
      const save = (name: string, text: string): void => {
        onDisk.set(name, text);
        writeFileSync(at(name), text);
      };
      try {
        for (const { who, name } of steps) {
          const text = `${who} ${(count += 1)}`;
          const shown = unsaved.get(at(name)) ?? onDisk.get(name);
          if (who === 'user types') unsaved.set(at(name), text);
          else if (who === 'user saves') {
            const typed = unsaved.get(at(name));
            if (typed !== undefined) save(name, typed);
            unsaved.delete(at(name));
          } else if (who === 'disk changes') save(name, text);
          else if (who === 'agent reads') {
            const read = await files.readText(at(name), {}, signal).catch(() => undefined);
            assert.equal(read, shown);
            if (read !== undefined) known.set(name, read);
          } else {
            const before = { typed: unsaved.get(at(name)), saved: onDisk.get(name) };
            const mayWrite = known.get(name) === shown || (before.typed === undefined && (!known.has(name) || shown === undefined));
            const wasWritten = await files.writeText(at(name), text, signal).then(
              () => true,
              () => false,
            );
            assert.equal(wasWritten, mayWrite);
            if (wasWritten) {
              onDisk.set(name, text);
              known.set(name, text);
              assert.equal(unsaved.get(at(name)), undefined);
            } else {
              if (before.typed === undefined) known.delete(name);
              assert.equal(unsaved.get(at(name)), before.typed);
            }
            const disk = onDisk.get(name);
            assert.equal(disk === undefined ? undefined : readFileSync(at(name), 'utf8'), disk);
          }
        }
        for (const request of asked) assert.ok(request.kind === 'permission' && request.subject.content.length === 1);
      } finally {
        for (const end of ends) await end();
      }
    }),
    { numRuns: 150 },
  );
});

describe('the other folders that the agent was told of', { skip: posixOnly }, () => {
  it('are like its own, whatever way a path takes to them, and nothing else is', async (t) => {
    const { folder, outside } = await lab(t);
    const root = path.dirname(folder);
    const other = path.join(root, 'other');
    for (const one of [folder, outside, other]) mkdirSync(path.join(one, 'sub'), { recursive: true });
    for (const one of [folder, outside, other]) {
      writeFileSync(path.join(one, 'sub/file'), one);
      for (const to of [folder, outside, other]) symlinkSync(to, path.join(one, `to-${path.basename(to)}`));
    }
    const step = fc.constantFrom('..', '.', 'sub', 'file', 'work', 'outside', 'other', 'to-work', 'to-outside', 'to-other', 'missing');
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(folder, outside, other), fc.array(step, { maxLength: 6 }), async (start, steps) => {
        let asked = 0;
        const files = createAgentFiles({
          sessionId: 's',
          folder,
          others: [other],
          editor: undefined,
          requestUser: async () => Promise.resolve(++asked).then(() => selectOption('reject')),
          onWritten: () => {},
        });
        const text = await files.readText([start, ...steps].join('/'), {}, signal).catch((error: unknown) => error);
        if (typeof text === 'string') assert.ok(text !== outside && asked === 0, text);
        else assert.ok(text instanceof FileRefusal && (text.reason === 'rejected') === asked > 0, String(text));
      }),
    );
    assert.equal(readFileSync(path.join(other, 'to-work/to-other/sub/file'), 'utf8'), other);
  });
});
