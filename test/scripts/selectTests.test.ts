/** Which tests `npm test -- NAME…` and `npm test -- quick` run. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { run } from '../../scripts/processes.mjs';
import { changedFiles, selectQuick } from '../../scripts/quick.mjs';
import { type Selected, selectAll, selectTests } from '../../scripts/suites.mjs';
import { testsOfPrograms } from '../../scripts/testGraph.mjs';

const root = path.resolve(import.meta.dirname, '../..');

type Files = Readonly<Record<string, readonly string[]>>;
const bySuite = (selected: readonly Selected[]): Files => Object.fromEntries(selected.map(({ suite, files }) => [suite.name, files]));
const select = async (...names: string[]): Promise<Files> => bySuite(await selectTests(names));
const quick = async (...changed: string[]): Promise<Files> => bySuite((await selectQuick(changed)).selected);
const notesOf = async (...changed: string[]): Promise<string> => (await selectQuick(changed)).notes.join('\n');

/** A repository with a branch that left main, with these files on main. */
async function repository(t: TestContext, files: readonly string[]) {
  // A hook of git that runs the tests says with variables which repository is meant.
  for (const name of Object.keys(process.env)) if (name.startsWith('GIT_')) delete process.env[name];
  const folder = await mkdtemp(path.join(tmpdir(), 'acp-host-repository-'));
  t.after(() => rm(folder, { recursive: true, maxRetries: 5 }));
  const git = (...args: string[]) => run('git', ['-c', 'user.name=me', '-c', 'user.email=me@localhost', ...args], { cwd: folder });
  const write = async (name: string): Promise<void> => {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), `${Math.random()}`);
  };
  const commit = async (): Promise<void> => {
    await git('add', '--all');
    await git('-c', 'commit.gpgSign=false', 'commit', '--quiet', '--message', 'change files');
  };
  await git('init', '--quiet', '--initial-branch=main');
  for (const file of files) await write(file);
  await commit();
  await git('switch', '--quiet', '--create', 'topic');
  return { folder, git, write, commit };
}

describe('names of tests', () => {
  test('a folder selects the tests in it, each in its suite', async () => {
    const { unit = [], ...others } = await select('core/journal');
    assert.ok(unit.includes('test/core/journal/eventSchema.test.ts'));
    assert.deepEqual(
      unit.filter((file) => !file.startsWith('test/core/journal/')),
      [],
    );
    assert.deepEqual(others, {});
    assert.deepEqual(Object.keys(await select('core/journal', 'webview', 'e2e')), ['unit', 'page', 'workbench']);
  });

  test('a file is found with and without its ending, below test/ and from the top', async () => {
    const links = { page: ['test/webview/links.test.ts'] };
    for (const name of ['webview/links', 'webview/links.test.ts', 'test/webview/links.test.ts', './test/webview/links'])
      assert.deepEqual(await select(name), links, name);
    assert.deepEqual(await select(path.join(root, 'test/webview/links.test.ts')), links);
    assert.deepEqual(await select('webview/links', 'tidy'), { unit: ['test/tidy.test.ts'], ...links });
  });

  test('a suite selects all of its files, in their order', async () => {
    const all = bySuite(await selectAll());
    for (const name of Object.keys(all)) assert.deepEqual(await select(name), { [name]: all[name] });
    assert.equal(all['unit']?.[0], 'test/backends/pi.conformance.test.ts');
  });

  test('a source selects the tests that import it, directly or through files of its room', async () => {
    const { unit = [] } = await select('src/core/journal/pacer.ts');
    assert.ok(unit.includes('test/core/journal/pacedStates.test.ts'));
    assert.ok(!unit.includes('test/tidy.test.ts'));
    assert.ok((await select('src/core/journal'))['unit']?.includes('test/core/journal/pacedStates.test.ts'));
  });

  test('a source that no test imports selects the tests of its room, or of its program', async () => {
    assert.deepEqual((await select('src/core/doctor/finding.ts'))['unit'], ['test/core/doctor/doctor.test.ts']);
    assert.ok((await select('src/webview/composer/composer.tsx'))['page']?.includes('test/webview/composer.test.ts'));
  });

  test('an unknown name is an error that lists the suites', async () => {
    for (const name of ['core/nothing', 'src/core/nothing', 'test/agents', 'webview/link'])
      await assert.rejects(selectTests([name]), new RegExp(`no suite, test or source “${name}”.*checks, unit, .*workbench and quick`));
    await assert.rejects(selectTests(['src/rooms.json']), /No test belongs to src\/rooms\.json/);
    await assert.rejects(selectTests(['core/nothing', 'webview/links', 'webview/link']), /“core\/nothing”.*“webview\/link”\. The suites/);
    await assert.rejects(
      run(process.execPath, ['scripts/test.mjs', 'core/nothing'], { cwd: root }),
      /code 1:\nThere is no .*\n0 passed, 1 failed/,
    );
  });

  test('the tests of each program exist', async () => {
    const all = (await selectAll()).flatMap(({ files }) => files);
    assert.deepEqual(
      testsOfPrograms.flatMap(([, names]) => names.filter((name) => !all.includes(`test/${name}.test.ts`))),
      [],
    );
  });
});

describe('quick', () => {
  test('it finds what is committed, changed and new since main, and not what main got since', async (t) => {
    const { folder, git, write, commit } = await repository(t, ['same', 'committed', 'changed', 'removed', 'src/renamed']);
    await write('committed');
    await commit();
    await git('switch', '--quiet', 'main');
    await write('ofMain');
    await commit();
    await git('switch', '--quiet', 'topic');
    await write('changed');
    await git('mv', 'src/renamed', 'src/other name');
    await git('rm', '--quiet', 'removed');
    await write('new/file');
    await writeFile(path.join(folder, '.gitignore'), 'ignored\n');
    await write('ignored');
    assert.deepEqual([...(await changedFiles(folder))].sort(), ['.gitignore', 'changed', 'committed', 'new/file', 'src/other name']);
  });

  test('it runs the changed tests, those nearest to a changed source, and those of the whole tree', async () => {
    const { unit = [], page } = await quick('test/webview/links.test.ts', 'src/core/journal/pacer.ts');
    assert.deepEqual(page, ['test/webview/links.test.ts']);
    for (const name of ['core/journal/journal', 'tidy']) assert.ok(unit.includes(`test/${name}.test.ts`), name);
    assert.ok((await quick('src/core/session/reducer.ts'))['unit']?.includes('test/core/session/reducer.test.ts'));
    assert.deepEqual(await quick(), { unit: ['test/tidy.test.ts', 'test/tidySeam.test.ts'] });
  });

  test('it says what it leaves out because it takes too long', async () => {
    assert.deepEqual(Object.keys(await quick('test/e2e/day.test.ts')), ['unit']);
    assert.match(await notesOf('test/e2e/day.test.ts'), /not run: 1 of workbench\./);
    assert.ok(((await quick('test/webview/harness.ts'))['page'] ?? []).length < 10);
    assert.match(await notesOf('test/webview/harness.ts'), /not run: .*\d\d of page/);
  });

  test('it says what has no tests', async () => {
    assert.match(await notesOf('docs/cli.md', 'src/core/journal/pacer.ts'), /Without tests of their own: docs\/cli\.md\./);
  });
});
