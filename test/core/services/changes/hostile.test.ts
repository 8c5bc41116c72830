/** Nothing that a project, its repository, a user's configuration or the environment says about git runs a program or changes what is recorded. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, it } from 'node:test';
import { type ChangesLab, changesLab, filesIn, git, hashOf, posixOnly, rows } from './changesLab.js';

const hooks = ['post-index-change', 'reference-transaction', 'pre-commit', 'post-commit', 'pre-auto-gc', 'post-checkout', 'post-rewrite'];

/** Writes a program that says that it ran, and a configuration that names it wherever git can run one. @returns the configuration */
function hostileConfig(folder: string): string {
  mkdirSync(path.join(folder, 'hooks'), { recursive: true });
  const program = path.join(folder, 'program');
  for (const file of [program, ...hooks.map((name) => path.join(folder, 'hooks', name))]) {
    writeFileSync(file, `#!/bin/sh\necho "$0" "$@" >> '${folder}/ran'\ncat\n`);
    chmodSync(file, 0o755);
  }
  const driver = ['clean', 'smudge', 'process'].map((name) => `\t${name} = ${program} ${name}\n`).join('');
  return `[core]
\tfsmonitor = ${program}
\thooksPath = ${folder}/hooks
\tattributesFile = ${folder}/attributes
\texcludesFile = ${folder}/ignore
\tautocrlf = true
\tpager = ${program} pager
\teditor = ${program} editor
\talternateRefsCommand = ${program} alternates
\tquotePath = true
[filter "evil"]
${driver}\trequired = true
[diff "evil"]
\ttextconv = ${program} textconv
\tcommand = ${program} diff
[diff]
\texternal = ${program} external
\trenames = false
\tnoprefix = true
\torderFile = ${folder}/missing
[merge "evil"]
\tdriver = ${program} merge
[gpg]
\tprogram = ${program}
[commit]
\tgpgSign = true
[i18n]
\tcommitEncoding = UTF-16
[credential]
\thelper = ${program}
[uploadpack]
\tpackObjectsHook = ${program} pack
`;
}

const attributes = '* text=auto eol=crlf ident filter=evil diff=evil merge=evil working-tree-encoding=UTF-16LE export-subst\n';
const text = Array.from({ length: 9 }, (_, line) => `$Id$ ${line}\n`).join('');

const saved = { ...process.env };
afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name];
  Object.assign(process.env, saved);
});

describe('a hostile repository', { skip: posixOnly }, () => {
  let evil = '';
  const ran = (): boolean => existsSync(path.join(evil, 'ran'));

  /** A repository whose every setting is hostile, included once more by a condition. */
  function prepare(work: string): void {
    git(work, 'init', '--quiet');
    writeFileSync(path.join(work, '.gitattributes'), attributes);
    writeFileSync(path.join(work, 'a.txt'), text);
    writeFileSync(path.join(work, 'b.txt'), `${text}b\r\n`);
    git(work, 'add', '.gitattributes');
    git(work, 'commit', '--quiet', '-m', 'first');
    evil = path.join(path.dirname(work), 'evil');
    const config = hostileConfig(evil);
    writeFileSync(path.join(evil, 'config'), config);
    writeFileSync(path.join(evil, 'attributes'), attributes);
    writeFileSync(path.join(evil, 'ignore'), '*\n');
    writeFileSync(path.join(work, '.git/info/attributes'), attributes);
    writeFileSync(path.join(work, '.git/config'), `${config}[includeIf "gitdir:/"]\n\tpath = ${evil}/config\n`, { flag: 'a' });
    for (const name of hooks) {
      writeFileSync(path.join(work, '.git/hooks', name), `#!/bin/sh\necho "$0" >> '${evil}/ran'\n`);
      chmodSync(path.join(work, '.git/hooks', name), 0o755);
    }
  }

  async function play(lab: ChangesLab): Promise<void> {
    const { folder } = lab;
    const worker = lab.worker();
    const [repository, before] = [await hashOf(path.join(folder, '.git')), await filesIn(folder)];
    const set = await worker.turn(() => {
      writeFileSync(path.join(folder, 'a.txt'), text.replace('$ 1', '$ one').replace('$ 3', '$ three'));
      renameSync(path.join(folder, 'b.txt'), path.join(folder, 'c.txt'));
      writeFileSync(path.join(folder, 'd.bin'), '\0\r\n');
    });
    assert.equal(worker.changes.failure, undefined);
    assert.deepEqual(rows(set), ['modified a.txt', 'renamed c.txt from b.txt', 'added d.bin']);
    assert.match(String(await worker.changes.patch([set?.id ?? ''])), /^diff --git a\/a.txt b\/a.txt$/m);
    writeFileSync(path.join(folder, 'a.txt'), `${text.replace('$ 1', '$ one').replace('$ 3', '$ three')}mine\n`);
    assert.deepEqual((await worker.undo()).left, []);
    const after = await filesIn(folder);
    assert.equal(after.get('a.txt')?.content, `${text}mine\n`);
    assert.deepEqual([...after].slice(2), [...before].slice(2));
    await lab.recorded.remove('c1');
    await lab.recorded.upkeep();
    assert.equal(await hashOf(path.join(folder, '.git')), repository);
  }

  it('runs nothing, also in the configuration of the user and with variables', async (t) => {
    const lab = await changesLab(t, { prepare });
    const home = path.dirname(lab.stateFolder);
    writeFileSync(path.join(home, '.gitconfig'), `[include]\n\tpath = ${evil}/config\n`);
    Object.assign(process.env, {
      HOME: path.join(home, 'home'),
      GIT_DIR: path.join(lab.folder, '.git'),
      GIT_INDEX_FILE: path.join(lab.folder, '.git/index'),
      GIT_OBJECT_DIRECTORY: path.join(lab.folder, '.git/objects'),
      GIT_EXTERNAL_DIFF: path.join(evil, 'program'),
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.fsmonitor',
      GIT_CONFIG_VALUE_0: path.join(evil, 'program'),
      GIT_DEFAULT_HASH: 'sha256',
      GIT_LITERAL_PATHSPECS: '1',
      GIT_TRACE: path.join(evil, 'ran'),
    });
    mkdirSync(path.join(home, 'home/.config/git'), { recursive: true });
    writeFileSync(path.join(home, 'home/.gitconfig'), `[include]\n\tpath = ${evil}/config\n`);
    writeFileSync(path.join(home, 'home/.config/git/config'), `[include]\n\tpath = ${evil}/config\n`);
    writeFileSync(path.join(home, 'home/.config/git/attributes'), attributes);
    await play(lab);
    assert.ok(!ran());
  });

  it('would run something in the hands of the user', async (t) => {
    const { folder } = await changesLab(t, { prepare });
    writeFileSync(path.join(folder, 'a.txt'), 'changed');
    assert.throws(() => git(folder, 'status'), /filter/);
    assert.ok(ran());
  });

  it('may belong to somebody else', { skip: process.getuid?.() !== 0 ? 'only root can give files away' : false }, async (t) => {
    const lab = await changesLab(t, { prepare });
    for (const name of ['.', '.git', ...readdirSync(path.join(lab.folder, '.git')).map((one) => `.git/${one}`)])
      chownSync(path.join(lab.folder, name), 12_345, 12_345);
    assert.throws(() => execFileSync('git', ['status'], { cwd: lab.folder, stdio: 'pipe' }), /dubious ownership/);
    const worker = lab.worker();
    const set = await worker.turn(() => writeFileSync(path.join(lab.folder, 'a.txt'), 'changed'));
    assert.deepEqual(rows(set), ['modified a.txt']);
    assert.deepEqual((await worker.undo()).left, []);
    assert.ok(!ran());
  });

  it('can have names and files that git does not take', async (t) => {
    const lab = await changesLab(t, { prepare });
    const worker = lab.worker();
    const set = await worker.turn(() => {
      execFileSync('ln', ['-s', '/etc/passwd', '.gitmodules'], { cwd: lab.folder });
      mkdirSync(path.join(lab.folder, 'git~1'));
      writeFileSync(path.join(lab.folder, 'git~1/x'), 'x');
      mkdirSync(path.join(lab.folder, 'deep/.git'), { recursive: true });
      writeFileSync(path.join(lab.folder, 'deep/.git/HEAD'), 'no repository');
      writeFileSync(path.join(lab.folder, 'deep/y'), 'y');
      writeFileSync(path.join(lab.folder, '.GIT'), 'gitdir: /nowhere\n');
    });
    assert.equal(worker.changes.failure, undefined);
    assert.deepEqual(
      rows(set).filter((one) => !one.includes('.GIT')),
      ['added deep/y', 'added git~1/x'],
    );
    assert.deepEqual((await worker.undo()).left, []);
  });
});
