/** What turns changed in their folder, and how it is undone. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, watch, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { changesLine, type ChangesLine, engineLine, statusLine, undoLine, type UndoLine } from '../../src/cli/output/reportSchema.js';
import { CliProcess, type CliResult, eventsOf, noTerminal, type Place, testAgent } from './cliProcess.js';
import { endEngine, placesOfOneEngine, untilState } from './engineOf.js';
import { runHere } from './runHere.js';

const ten = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join('');

const makePlace = placesOfOneEngine();
let place: Place;
/** The place whose engine is no other test's. */
let own: Place | undefined;
beforeEach(async () => {
  place = await makePlace({ 'a.txt': 'one\n', 'ten.txt': ten });
});
afterEach(async () => {
  if (own !== undefined) await endEngine(own);
  own = undefined;
  await place.remove();
});

/** For a test of what an engine finds when it begins, or of all that it does. */
function withItsOwnEngine(): void {
  own = place = { ...place, env: { ...place.env, ACP_HOST_STATE: path.join(place.workspace, '../state') } };
}

const at = (name: string): string => path.join(place.workspace, name);
const file = (name: string): Promise<string> => readFile(at(name), 'latin1');
const files = async (): Promise<readonly string[]> => (await readdir(place.workspace)).sort();

/** One turn of the conversation, or the first one of a new one. */
async function turn(prompt: string, ...options: readonly string[]): Promise<CliResult> {
  const result = await runHere(place, ['run', '--agent', 'demo', '--permission', 'allow', ...options, prompt]);
  assert.equal(result.code, 0, result.stderr);
  return result;
}

const next = (prompt: string): Promise<CliResult> => turn(prompt, '--continue');

async function changes(...options: readonly string[]): Promise<ChangesLine> {
  const { code, stdout, stderr } = await runHere(place, ['changes', '--format', 'json', ...options]);
  assert.deepEqual([code, stderr], [0, '']);
  return changesLine.parse(JSON.parse(stdout));
}

async function undo(code: number, ...options: readonly string[]): Promise<Omit<UndoLine, 'schemaVersion' | 'id'>> {
  const result = await runHere(place, ['undo', '--yes', '--format', 'json', ...options]);
  assert.deepEqual([result.code, result.stderr], [code, '']);
  const { undone, left } = undoLine.parse(JSON.parse(result.stdout));
  return { undone, left };
}

function git(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: place.workspace, env: place.env, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout;
}

describe('what turns changed', () => {
  test('has the files of the other folders in which the agent works', async () => {
    const other = path.join(place.workspace, '../other');
    await mkdir(other);
    place = { ...place, env: { ...place.env, ROOTS: '1' } };
    const agent = ['--permission', 'allow', ...testAgent('usesItsContext'), '--add-dir', other];
    const write = (name: string, ...options: readonly string[]) => runHere(place, ['run', ...agent, ...options, `write ${name}`]);
    assert.equal((await write(path.join(other, 'x.txt'))).code, 0);
    assert.equal((await write(at('y.txt'), '--continue')).code, 0);
    assert.deepEqual(
      (await changes()).turns.map((one) => one.files.map(({ path: name, status }) => [status, name])),
      [[['added', '../other/x.txt']], [['added', 'y.txt']]],
    );
    const patch = await runHere(place, ['changes', '--format', 'patch']);
    assert.match(patch.stdout, /y\.txt/);
    assert.doesNotMatch(patch.stdout, /x\.txt/);
    assert.match(patch.stderr, /leaves out 1 file in other folders/);
    assert.deepEqual(await undo(0, '--file', path.join(other, 'x.txt'), '--all'), { undone: ['../other/x.txt'], left: [] });
    assert.deepEqual([await readdir(other), await files()], [[], ['a.txt', 'ten.txt', 'y.txt']]);
  });

  test('is one line after each turn that changed something, and a list of the files', async () => {
    assert.match((await turn('edit a.txt one => two')).stderr, /^✓ Edit a\.txt\n1 file \+1 −1\n$/);
    assert.doesNotMatch((await next('list')).stderr, /\bfile/);
    assert.match((await next("run mv ten.txt dozen.txt; echo new > n.txt; rm a.txt; printf '\\0' > b")).stderr, /\n4 files \+1 −1\n$/);
    const { code, stdout, stderr } = await runHere(place, ['changes']);
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(
      stdout.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'NOW'),
      [
        'Turn 1 · edit a.txt one => two · NOW',
        '  M a.txt  +1 −1',
        '',
        'Turn 3 · run mv ten.txt dozen.txt; echo new > n.txt; rm a.txt; print… · NOW',
        '  D a.txt                +0 −1  by a command',
        '  A b                           binary, lines are not counted · by a command',
        '  R ten.txt → dozen.txt         by a command',
        '  A n.txt                +1 −0  by a command',
        '',
      ].join('\n'),
    );
    const { turns } = await changes();
    assert.deepEqual(turns[0], { turn: 1, files: [{ path: 'a.txt', status: 'modified', added: 1, removed: 1, by: 'tool' }] });
    assert.deepEqual(
      turns[1]?.files.map((one) => ({ ...one, by: '' })),
      [
        { path: 'a.txt', status: 'deleted', added: 0, removed: 1, by: '' },
        { path: 'b', status: 'added', added: 0, removed: 0, binary: true, by: '' },
        { path: 'dozen.txt', status: 'renamed', from: 'ten.txt', added: 0, removed: 0, by: '' },
        { path: 'n.txt', status: 'added', added: 1, removed: 0, by: '' },
      ],
    );
    assert.deepEqual((await changes('--turn', '3')).turns, turns.slice(1));
    assert.equal((await runHere(place, ['changes', '--turn', '2'])).stdout, 'Turn 2 changed no files.\n');
  });

  test('is known from the edits of an agent that begins before git is done', { skip: process.platform === 'win32' }, async () => {
    withItsOwnEngine();
    // It waits for the edit.
    const bin = path.join(place.workspace, '..', 'slow-git');
    await mkdir(bin);
    const waits = `case "$*" in *ls-files*) until grep -q two '${at('a.txt')}'; do sleep 0.05; done;; esac`;
    await writeFile(path.join(bin, 'git'), `#!/bin/sh\n${waits}\nexec /usr/bin/git "$@"\n`);
    await chmod(path.join(bin, 'git'), 0o755);
    const env = { ...place.env, PATH: `${bin}:${place.env['PATH'] ?? ''}` };
    const { code, stderr } = await runHere(place, ['run', '--agent', 'demo', '--permission', 'allow', 'edit a.txt one => two'], { env });
    assert.equal(code, 0, stderr);
    const { turns } = await changes();
    assert.deepEqual(turns, [
      { turn: 1, problems: ['late'], files: [{ path: 'a.txt', status: 'modified', added: 1, removed: 1, by: 'tool' }] },
    ]);
    assert.deepEqual(await undo(0), { undone: ['a.txt'], left: [] });
    assert.equal(await file('a.txt'), 'one\n');
  });

  test('is an event for programs, after the end of the turn', async () => {
    const lines = eventsOf((await turn('edit a.txt one => two', '--format', 'json')).stdout);
    const last = lines.filter(({ event }) => event === 'turn' || event === 'changes').slice(-2);
    const [end, changed] = last;
    assert.ok(end?.event === 'turn' && changed?.event === 'changes');
    assert.deepEqual(changed, {
      schemaVersion: 1,
      event: 'changes',
      sessionId: end.sessionId,
      turnId: end.turnId,
      fileCount: 1,
      added: 1,
      removed: 1,
      files: [{ path: 'a.txt', status: 'modified', added: 1, removed: 1, by: 'tool' }],
    });
    const { id } = await changes();
    const attached = eventsOf((await runHere(place, ['attach', id, '--format', 'json'])).stdout);
    assert.deepEqual(
      attached.find(({ event }) => event === 'changes'),
      changed,
    );
  });

  test('is a patch that git takes back, with the bytes as they are', async () => {
    await writeFile(at('latin1.txt'), 'caf\xe9\r\nend', 'latin1');
    git('init', '-q');
    git('add', '.');
    git('-c', 'user.name=me', '-c', 'user.email=me@example.com', 'commit', '-q', '-m', 'first');
    await turn('edit a.txt one => two');
    await next('run mv ten.txt dozen.txt; printf x >> latin1.txt; head -c 99 /dev/urandom > new.bin; chmod +x a.txt');
    await next('edit a.txt two => three');
    assert.notEqual(git('status', '--short'), '');
    const { code, stderr } = await new CliProcess(place, ['changes', '--format', 'patch'], {}, { shell: '"$@" | git apply -R' }).ended();
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(git('status', '--short'), '');
  });

  test('is a patch without the files that were undone, of one turn or of all', async () => {
    git('init', '-q');
    git('add', '.');
    git('-c', 'user.name=me', '-c', 'user.email=me@example.com', 'commit', '-q', '-m', 'first');
    await turn('run echo x > a.txt; echo y > b.txt; mv ten.txt dozen.txt');
    await next('run echo z >> b.txt; echo new > new.txt');
    await undo(0, '--file', 'new.txt');
    await undo(0, '--turn', '1', '--file', 'a.txt');
    const patch = async (...args: readonly string[]): Promise<readonly string[]> =>
      [...(await runHere(place, ['changes', '--format', 'patch', ...args])).stdout.matchAll(/^diff --git a\/(\S+)/gm)].map(
        ([, name = '']) => name,
      );
    assert.deepEqual(await patch('--turn', '1'), ['b.txt', 'ten.txt']);
    assert.deepEqual(await patch(), ['b.txt', 'ten.txt']);
    const { code, stderr } = await new CliProcess(place, ['changes', '--format', 'patch'], {}, { shell: '"$@" | git apply -R' }).ended();
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(git('status', '--short'), '');
    await undo(0, '--turn', '1', '--file', 'b.txt', '--file', 'dozen.txt');
    assert.deepEqual(await patch('--turn', '1'), []);
  });

  test('of a conversation that its ID names, or the beginning of one, or its session', async () => {
    await turn('edit a.txt one => two');
    const { id, turns } = await changes();
    const { stdout } = await runHere(place, ['sessions', '--format', 'json']);
    const session = /"id":"([^"]+)"/.exec(stdout)?.[1] ?? '';
    await turn('list');
    assert.deepEqual((await changes()).turns, []);
    for (const wanted of [id, id.slice(0, 8), session]) assert.deepEqual((await changes(wanted)).turns, turns, wanted);
    const elsewhere = { ...place, workspace: path.dirname(place.workspace) };
    const unknown = await runHere(elsewhere, ['changes']);
    assert.deepEqual([unknown.code, unknown.stdout], [2, '']);
    assert.match(unknown.stderr, /There are no conversations in .* use --last/);
    assert.equal((await runHere(elsewhere, ['changes', '--last'])).stdout, 'No files were changed.\n');
    for (const command of ['changes', 'undo']) {
      const { code, stderr } = await runHere(place, [command, ...(command === 'undo' ? ['--yes'] : []), 'unheard-of']);
      assert.equal(code, 2);
      assert.match(stderr, /"unheard-of"/);
    }
  });

  test('is nothing, said in words, if nothing was changed', async () => {
    await turn('list');
    assert.equal((await runHere(place, ['changes'])).stdout, 'No files were changed.\n');
    assert.equal((await runHere(place, ['changes', '--format', 'patch'])).stdout, '');
    const { code, stdout } = await runHere(place, ['undo', '--yes']);
    assert.deepEqual([code, stdout], [0, 'There is nothing to undo.\n']);
    assert.deepEqual(await undo(0), { undone: [], left: [] });
    const { code: unknown, stderr } = await runHere(place, ['changes', '--turn', '2']);
    assert.equal(unknown, 2);
    assert.match(stderr, /The conversation has 1 turn, so there is no turn 2/);
  });

  test('is shown with names that cannot control the terminal', async () => {
    await turn(`run printf x > "$(printf 'a\\033[31m\\nb')"`);
    const made = (await files()).find((name) => name.includes('\x1b')) ?? '';
    assert.equal(made, 'a\x1b[31m\nb');
    const { stdout } = await runHere(place, ['changes']);
    assert.match(stdout, /\n {2}A a<U\+001B>\[31m<U\+000A>b {2}\+1 −0/);
    assert.equal((await changes()).turns[0]?.files[0]?.path, made);
    assert.equal((await runHere(place, ['undo', '--yes'])).stdout, 'Undone a<U+001B>[31m<U+000A>b\n');
    assert.ok(!(await files()).includes(made));
  });

  test('is known of a turn in which the engine was killed, and taken back by name', async () => {
    withItsOwnEngine();
    await turn('edit a.txt one => two');
    const run = new CliProcess(place, [
      'run',
      '--continue',
      '--agent',
      'demo',
      '--permission',
      'allow',
      'run echo three > a.txt; sleep 1000',
    ]);
    for await (const _ of watch(place.workspace)) if ((await file('a.txt')) === 'three\n') break;
    const { engine } = engineLine.parse(JSON.parse((await runHere(place, ['engine', '--format', 'json'])).stdout));
    process.kill(engine?.pid ?? 0, 'SIGKILL');
    assert.notEqual((await run.ended()).code, 0);
    const { turns } = await changes();
    assert.deepEqual(
      turns.map(({ turn: number, problems, files: its }) => [number, problems, its.map((one) => one.alsoUser)]),
      [
        [1, undefined, [undefined]],
        [2, ['interrupted'], [true]],
      ],
    );
    const shown = (await runHere(place, ['changes', '--turn', '2'])).stdout;
    assert.match(shown, /\n {2}ACP Host ended unexpectedly during the turn.*\n {2}M a\.txt {2}\+1 −1 {2}.*may be yours\n/);
    assert.deepEqual(await undo(1), { undone: [], left: [{ path: 'a.txt', why: 'also_user' }] });
    assert.deepEqual(await undo(0, '--file', 'a.txt'), { undone: ['a.txt'], left: [] });
    assert.equal(await file('a.txt'), 'two\n');
  });

  test('is not known without Git, which is said once in text, and is an event for programs', async () => {
    withItsOwnEngine();
    await mkdir(at('empty'));
    const env = { PATH: at('empty') };
    const run = ['run', '--agent', 'demo', '--permission', 'allow'];
    const { code, stderr } = await runHere(place, [...run, 'edit a.txt one => two'], { env });
    assert.equal(code, 0, stderr);
    assert.equal(stderr.split('Git was not found').length, 2, stderr);
    const { stdout } = await runHere(place, [...run, '--format', 'json', 'edit a.txt two => three'], { env });
    const notices = eventsOf(stdout).filter(({ event }) => event === 'notice');
    assert.deepEqual(
      notices.map((line) => line.event === 'notice' && [line.severity, line.code]),
      [['info', 'changes_unknown']],
    );
  });
});

describe('undo', () => {
  test('gives the bytes from before, of the last turn that is not undone', async () => {
    await writeFile(at('mixed'), '\ufeffone\r\ntwo\nthree');
    await writeFile(at('binary'), Buffer.from([0, 1, 0xff, 0xfe]));
    const before = await Promise.all(['mixed', 'binary', 'ten.txt'].map(file));
    await turn('edit a.txt one => two');
    await next('run printf x > mixed; printf "\\0" >> binary; mkdir d; mv ten.txt d/e; printf new > new');
    const { undone, left } = await undo(0);
    assert.deepEqual([[...undone].sort(), left], [['binary', 'd/e', 'mixed', 'new'], []]);
    assert.deepEqual(await Promise.all(['mixed', 'binary', 'ten.txt'].map(file)), before);
    assert.deepEqual(await files(), ['a.txt', 'binary', 'mixed', 'ten.txt']);
    assert.equal(await file('a.txt'), 'two\n');
    assert.match((await runHere(place, ['changes', '--turn', '2'])).stdout, /A new .*undone\n/);
    assert.deepEqual(await undo(0), { undone: ['a.txt'], left: [] });
    assert.equal(await file('a.txt'), 'one\n');
    assert.deepEqual(await undo(0), { undone: [], left: [] });
    assert.equal((await runHere(place, ['changes', '--format', 'patch'])).stdout, '');
  });

  test('keeps what the user changed since in other lines, and leaves a file with the same lines changed', async () => {
    await turn('run sed -i.bak "s/line 2$/agent 2/" ten.txt; rm ten.txt.bak; echo two > a.txt');
    await writeFile(at('ten.txt'), (await file('ten.txt')).replace('line 9', 'user 9'));
    await writeFile(at('a.txt'), 'mine\n');
    const { code, stdout, stderr } = await runHere(place, ['undo', '--yes']);
    assert.deepEqual(
      [code, stdout, stderr],
      [1, 'Undone ten.txt\n', 'Left a.txt: It was changed since, so undoing would lose that change.\n'],
    );
    assert.equal(await file('ten.txt'), ten.replace('line 9', 'user 9'));
    assert.equal(await file('a.txt'), 'mine\n');
    assert.deepEqual(await undo(1, '--file', 'a.txt'), { undone: [], left: [{ path: 'a.txt', why: 'changed' }] });
  });

  test('leaves what is not saved, and names it', async () => {
    await turn('run echo KEY=1 > .env; echo two > a.txt');
    assert.match(
      (await runHere(place, ['changes'])).stdout,
      /\n {2}A \.env {10}may contain secrets, can't be compared or undone · by a command\n/,
    );
    const left = [{ path: '.env', why: 'unkept', detail: 'secret' }];
    assert.deepEqual(await undo(1), { undone: ['a.txt'], left });
    assert.deepEqual(await undo(1), { undone: [], left });
    assert.match((await runHere(place, ['undo', '--yes'])).stderr, /^Left \.env: ACP Host doesn't save files that may contain secrets, /);
    assert.equal(await file('.env'), 'KEY=1\n');
  });

  test('is of one turn, of all of them, or of single files', async () => {
    await turn('run echo two > a.txt; echo b > b.txt');
    await next('run echo c > c.txt; echo d > d.txt');
    await next('edit a.txt two => three');
    assert.deepEqual(await undo(0, '--turn', '2', '--file', at('d.txt')), { undone: ['d.txt'], left: [] });
    assert.deepEqual(await files(), ['a.txt', 'b.txt', 'c.txt', 'ten.txt']);
    assert.deepEqual(await undo(0, '--file', 'b.txt'), { undone: ['b.txt'], left: [] });
    assert.deepEqual(await files(), ['a.txt', 'c.txt', 'ten.txt']);
    const wrong = [
      [['--turn', '3', '--file', 'c.txt'], /Turn 3 did not change "c\.txt"/],
      [['--file', 'ten.txt'], /No turn changed "ten\.txt"/],
      [['--turn', '4'], /has 3 turns/],
      [['--turn', '0'], /--turn must be a number from 1/],
      [['--turn', '1', '--all'], /--turn and --all/],
      [['--file', ''], /--file must be the name/],
    ] as const;
    for (const [options, why] of wrong) {
      const { code, stderr } = await runHere(place, ['undo', '--yes', ...options]);
      assert.equal(code, 2, options.join(' '));
      assert.match(stderr, why);
    }
    assert.equal(await file('a.txt'), 'three\n');
    const { undone } = await undo(0, '--all');
    assert.deepEqual([...undone].sort(), ['a.txt', 'c.txt'], 'only what is not undone yet');
    assert.equal(await file('a.txt'), 'one\n');
    assert.deepEqual(await files(), ['a.txt', 'ten.txt']);
  });

  test('asks nobody without a terminal, and starts no agent', async () => {
    await turn('edit a.txt one => two');
    await rm(place.env['ACP_HOST_DEMO_STATE'] ?? '', { recursive: true });
    const { code, stdout, stderr } = await runHere(place, ['undo'], { stdin: 'y\n' });
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /needs a terminal.*--yes/);
    assert.equal(await file('a.txt'), 'two\n');
    assert.deepEqual(await undo(0), { undone: ['a.txt'], left: [] });
    assert.ok(!(await readdir(path.dirname(place.workspace))).includes('demo'));
  });

  test('waits for the end of a turn', async () => {
    withItsOwnEngine();
    await turn('edit a.txt one => two');
    const { id } = await changes();
    await runHere(place, ['run', '--continue', '--detach', 'edit a.txt two => three']);
    await untilState(place, 'waiting');
    const { code, stderr } = await runHere(place, ['undo', '--yes']);
    assert.equal(code, 2);
    assert.ok(stderr.includes(`Stop it with \`acp-host stop ${id}\``), stderr);
    assert.deepEqual(await undo(0, '--turn', '1'), { undone: ['a.txt'], left: [] });
    const { conversations } = statusLine.parse(JSON.parse((await runHere(place, ['status', '--format', 'json'])).stdout));
    assert.deepEqual(
      conversations.map(({ state }) => state),
      ['waiting'],
      'it goes on',
    );
  });
});

describe('in a terminal', { skip: noTerminal() ?? false }, () => {
  const open = (...args: readonly string[]): CliProcess =>
    new CliProcess(place, args, { TERM: 'xterm', NO_COLOR: '1' }, { terminal: true });

  test('undo shows the files and asks; anything but yes undoes nothing', async () => {
    await turn('edit a.txt one => two');
    for (const [answer, code, text] of [
      ['n\n', 130, 'two\n'],
      ['\x03', 130, 'two\n'],
      ['y\n', 0, 'one\n'],
    ] as const) {
      const cli = open('undo');
      await cli.until('question', (shown) => shown.includes('Undo these changes? (y or n): '));
      assert.match(cli.stdout, /Turn 1 · edit a\.txt one => two · .*\r\n {2}M a\.txt {2}\+1 −1\r\n/);
      cli.child.stdin.write(answer);
      const ended = await cli.ended();
      assert.equal(ended.code, code, JSON.stringify(answer));
      assert.match(ended.stdout, /\(y or n\): .{0,2}\r\n(?:acp-host: Nothing was undone|Undone a\.txt)\r\n$/, 'on a line of its own');
      assert.equal(await file('a.txt'), text, JSON.stringify(answer));
    }
  });

  test('undo that is ended by a signal at its question undoes nothing, and has the exit code of the signal', async () => {
    await turn('edit a.txt one => two');
    for (const [signal, code] of [
      ['SIGTERM', 143],
      ['SIGHUP', 129],
    ] as const) {
      const cli = new CliProcess(place, ['undo'], { TERM: 'xterm' }, { terminal: true, shell: 'echo "pid $$"; exec "$@"' });
      await cli.until('question', (shown) => shown.includes('Undo these changes?'));
      process.kill(Number(/^pid (\d+)/.exec(cli.stdout)?.[1]), signal);
      assert.equal((await cli.ended()).code, code);
      assert.match(cli.stdout, /Nothing was undone/);
      assert.equal(await file('a.txt'), 'two\n');
    }
  });

  test('a chat says after a turn how to undo it, lists the files, and undoes', async () => {
    const cli = open('chat', '--agent', 'demo', '--permission', 'allow');
    await cli.until('prompt', (shown) => shown.includes('/host:help lists the commands'));
    cli.child.stdin.write('edit a.txt one => two\r');
    await cli.until('line', (shown) => shown.includes('1 file +1 −1 · /undo\r\n'));
    cli.child.stdin.write('/changes\r');
    await cli.until('list', (shown) => /Turn 1 · edit a\.txt one => two · .*\r\n {2}M a\.txt {2}\+1 −1\r\n/.test(shown));
    cli.child.stdin.write('/undo\r');
    await cli.until('undone', (shown) => shown.includes('Undone a.txt\r\n'));
    assert.equal(await file('a.txt'), 'one\n');
    cli.child.stdin.write('/undo\r');
    await cli.until('nothing', (shown) => shown.includes('There is nothing to undo.\r\n'));
    cli.child.stdin.write('/exit\r');
    assert.equal((await cli.ended()).code, 0);
  });
});
