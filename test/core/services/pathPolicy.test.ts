/** Whatever path an agent names: nothing outside of its folder is read or written unasked, and each refusal has a reason that it can understand. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { createAgentFiles, FileRefusal, type FileRefusalReason } from '../../../src/core/services/agentFiles.js';
import type { AgentFiles } from '../../../src/core/services/hostServices.js';
import { createFileAccess } from '../../../src/core/services/files.js';
import { selectOption } from '../../../src/core/session/userRequest.js';

const posixOnly = process.platform === 'win32' ? 'needs links' : false;
const { signal } = new AbortController();
const secret = 'not for agents';

interface Lab {
  /** Has `work`, the folder of the agent, and `outside`. */
  readonly root: string;
  readonly folder: string;
}

async function lab(t: TestContext): Promise<Lab> {
  const root = realpathSync(await mkdtemp(path.join(tmpdir(), 'acp-host-path-policy-')));
  t.after(() => rm(root, { recursive: true, force: true }));
  fill(root);
  return { root, folder: path.join(root, 'work') };
}

function fill(root: string): void {
  for (const name of ['work', 'outside']) {
    rmSync(path.join(root, name), { recursive: true, force: true });
    mkdirSync(path.join(root, name, 'sub'), { recursive: true });
  }
  writeFileSync(path.join(root, 'work/a.txt'), 'a');
  writeFileSync(path.join(root, 'work/sub/a.txt'), 'a');
  writeFileSync(path.join(root, 'outside/a.txt'), secret);
  writeFileSync(path.join(root, 'outside/sub/a.txt'), secret);
}

/** @returns every file, folder and link of the folder, with what it holds */
function everythingIn(folder: string): Readonly<Record<string, string>> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const name = path.join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) return [name, `to ${readlinkSync(name)}`];
    return [name, entry.isFile() ? readFileSync(name, 'utf8') : 'folder'];
  });
  return Object.fromEntries(found);
}

/** Something else that happens while the host works. */
type Meanwhile = (moment: 'the user is asked' | 'the editor is asked' | 'the editor edits') => void;

/** @param asked gets the path of each question */
function filesIn(folder: string, answer: 'allow' | 'reject', asked: string[] = [], meanwhile: Meanwhile = () => {}): AgentFiles {
  return createAgentFiles({
    sessionId: 's',
    folder,
    editor: {
      unsaved: async () => {
        meanwhile('the editor is asked');
        return {};
      },
      edit: async () => {
        meanwhile('the editor edits');
        return [];
      },
    },
    requestUser: async (request) => {
      assert.ok(request.kind === 'permission');
      asked.push(request.subject.title ?? '');
      meanwhile('the user is asked');
      return selectOption(answer);
    },
    onWritten: () => {},
  });
}

/** @returns why the host refused, or what was read */
async function outcomeOf(call: Promise<string | void>): Promise<FileRefusalReason | { readonly text: string | undefined }> {
  try {
    return { text: (await call) ?? undefined };
  } catch (error) {
    assert.ok(error instanceof FileRefusal, String(error));
    return error.reason;
  }
}

/** Each name of the path may have any case. */
const anyCase = (name: string): fc.Arbitrary<string> =>
  fc
    .array(fc.boolean(), { minLength: name.length, maxLength: name.length })
    .map((upper) => [...name].map((letter, index) => (upper[index] === true ? letter.toUpperCase() : letter)).join(''));

const anySecretName = fc
  .constantFrom('.env', '.env.local', 'id_rsa', 'id_ed25519_sk', '.npmrc', '.netrc', 'secrets.yaml', 'server.pem', 'credentials')
  .chain(anyCase);

describe('an agent gets no', () => {
  it('file with secrets unasked, whatever the case of its name, and whatever Windows ignores at its end', async (t) => {
    const { root, folder } = await lab(t);
    const before = everythingIn(root);
    const anyEnd = fc.constantFrom('', '.', ' ', '. .', '::$DATA', ':stream');
    const anyWay = fc.constantFrom('', 'sub', 'sub/..', './sub/.', 'new');
    await fc.assert(
      fc.asyncProperty(anySecretName, anyEnd, anyWay, async (name, end, way) => {
        const asked: string[] = [];
        const files = filesIn(folder, 'reject', asked);
        const named = [folder, way, name + end].join('/');
        assert.equal(await outcomeOf(files.readText(named, {}, signal)), 'rejected');
        assert.equal(await outcomeOf(files.writeText(named, 'mine', signal)), 'rejected');
        assert.deepEqual(asked, [named, named]);
      }),
    );
    assert.deepEqual(everythingIn(root), before);
  });

  it('path with a NUL, of another system, of another machine, or longer than the system allows', async (t) => {
    const { root, folder } = await lab(t);
    const before = everythingIn(root);
    const anyName = fc.constantFrom('a.txt', 'sub', '..', '.', 'new');
    const anyNames = fc.array(anyName, { minLength: 1, maxLength: 4 });
    const machine = fc.constantFrom('//server/share/', '\\\\server\\share\\', '\\\\?\\UNC\\server\\share\\', '//?/UNC/server/share/');
    const relative = fc.constantFrom('', './', '../', 'C:', ...(process.platform === 'win32' ? [] : ['C:\\', 'c:/', '\\']));
    const anyPath = fc.oneof(
      fc.record({
        why: fc.constant('NUL'),
        path: fc.tuple(anyNames, anyNames).map((both) => [folder, both.map((one) => one.join('/')).join('\0')].join('/')),
      }),
      fc.record({ why: fc.constant('relative'), path: fc.tuple(relative, anyNames).map(([start, names]) => start + names.join('/')) }),
      fc.record({ why: fc.constant('machine'), path: fc.tuple(machine, anyNames).map(([start, names]) => start + names.join('/')) }),
      fc.record({
        why: fc.constant('long name'),
        path: fc.integer({ min: 512, max: 70_000 }).map((length) => [folder, 'new', 'é'.repeat(length / 2), 'a'].join('/')),
      }),
      fc.record({
        why: fc.constant('long path'),
        path: fc.integer({ min: 4097, max: 70_000 }).map((length) => `${folder}/${'d/'.repeat(length / 2)}a`),
      }),
    );
    await fc.assert(
      fc.asyncProperty(anyPath, async ({ why, path: named }) => {
        const asked: string[] = [];
        const files = filesIn(folder, 'allow', asked);
        const reasons = why.startsWith('long') ? ['too_long'] : ['relative', 'other_machine'];
        for (const call of [files.readText(named, {}, signal), files.writeText(named, 'mine', signal)]) {
          const outcome = await outcomeOf(call);
          assert.ok(typeof outcome === 'string' && reasons.includes(outcome), `${why}: ${JSON.stringify(outcome)}`);
        }
        const access = createFileAccess(folder);
        assert.deepEqual([await access.peek(named), access.peekNow(named)], [undefined, undefined]);
        assert.deepEqual(asked, []);
      }),
    );
    assert.deepEqual(everythingIn(root), before);
  });
});

describe('a path that an agent names', { skip: posixOnly }, () => {
  it('leads nowhere else by a link after a folder that does not exist', async (t) => {
    const { root, folder } = await lab(t);
    symlinkSync('../outside', path.join(folder, 'link'));
    const files = filesIn(folder, 'reject');
    const before = everythingIn(root);
    for (const name of ['new/../link/a.txt', 'new/sub/../../link/sub/../a.txt', 'sub/../new/../link/new.txt']) {
      const named = `${folder}/${name}`;
      assert.equal(await outcomeOf(files.readText(named, {}, signal)), 'rejected');
      assert.equal(await outcomeOf(files.writeText(named, 'mine', signal)), 'rejected');
      assert.equal(await createFileAccess(folder).peek(named), undefined);
      assert.equal(createFileAccess(folder).peekNow(named), undefined);
    }
    assert.deepEqual(everythingIn(root), before);
  });

  it('leads nowhere else by `..` or links, wherever they stand in it', async (t) => {
    const { root, folder } = await lab(t);
    const step = fc.constantFrom(
      '..',
      '.',
      '',
      'sub',
      'a.txt',
      'new',
      'work',
      'outside',
      'to-outside',
      'to-work',
      'to-file',
      'to-nothing',
      'to-itself',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 7 }), async (steps) => {
        fill(root);
        for (const [name, to] of [
          ['to-outside', '../outside'],
          ['to-work', path.join(folder, 'sub/..')],
          ['to-file', '../outside/a.txt'],
          ['to-nothing', '../outside/none'],
          ['to-itself', 'to-itself'],
        ] as const)
          symlinkSync(to, path.join(folder, name));
        const outside = everythingIn(path.join(root, 'outside'));
        const beside = readdirSync(root);
        const asked: string[] = [];
        const files = filesIn(folder, 'reject', asked);
        const named = [folder, ...steps].join('/');
        const access = createFileAccess(folder);
        assert.deepEqual([await access.peek(named), access.peekNow(named)].includes(secret), false);
        for (const call of [() => files.readText(named, {}, signal), () => files.writeText(named, 'mine', signal)]) {
          asked.length = 0;
          const outcome = await outcomeOf(call());
          if (typeof outcome === 'string') assert.equal(outcome === 'rejected', asked.length > 0, outcome);
          else assert.ok(outcome.text !== secret && asked.length === 0);
          assert.notEqual(outcome, 'failed');
        }
        assert.deepEqual(everythingIn(path.join(root, 'outside')), outside);
        assert.deepEqual(readdirSync(root), beside);
      }),
      { numRuns: 100 },
    );
  });

  it('is refused if it leads somewhere else while the host works, whatever becomes a link and when', async (t) => {
    const { root, folder } = await lab(t);
    const moments = ['the user is asked', 'the editor is asked', 'the editor edits'] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...moments),
        fc.integer({ min: 1, max: 2 }),
        fc.constantFrom('sub', 'sub/a.txt', 'sub/.env'),
        fc.constantFrom('a.txt', '.env', 'new.txt'),
        fc.boolean(),
        async (moment, times, swapped, name, writes) => {
          fill(root);
          for (const one of ['work', 'outside']) writeFileSync(path.join(root, one, 'sub/.env'), one === 'work' ? 'a' : secret);
          const outside = everythingIn(path.join(root, 'outside'));
          let left = times;
          const swap: Meanwhile = (now) => {
            if (now !== moment || --left !== 0) return;
            renameSync(path.join(folder, swapped), path.join(folder, 'before'));
            symlinkSync(path.join(root, 'outside', swapped), path.join(folder, swapped));
          };
          const files = filesIn(folder, 'allow', [], swap);
          const named = path.join(folder, 'sub', name);
          const outcome = await outcomeOf(writes ? files.writeText(named, 'mine', signal) : files.readText(named, {}, signal));
          const concerns = left <= 0 && (swapped === 'sub' || swapped === `sub/${name}`);
          if (concerns) assert.equal(outcome, 'moved');
          else if (typeof outcome !== 'string') assert.notEqual(outcome.text, secret);
          assert.deepEqual(everythingIn(path.join(root, 'outside')), outside);
        },
      ),
      { numRuns: 100 },
    );
  });
});
