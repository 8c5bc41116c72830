/** What turns changed: when it is known, in which folder, and under which name. */
import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { undoLine, type UndoLine } from '../../src/cli/output/reportSchema.js';
import { CliProcess, type Place } from './cliProcess.js';
import { endEngine, placesOfOneEngine } from './engineOf.js';
import { runHere } from './runHere.js';

const makePlace = placesOfOneEngine();
let place: Place;
beforeEach(async () => {
  place = await makePlace({ 'a.txt': 'one\n' });
});
afterEach(() => place.remove());

const at = (name: string): string => path.join(place.workspace, name);
const file = (name: string): Promise<string> => readFile(at(name), 'latin1');

async function run(prompt: string, ...options: readonly string[]): Promise<void> {
  const { code, stderr } = await runHere(place, ['run', '--agent', 'demo', '--permission', 'allow', ...options, prompt]);
  assert.equal(code, 0, stderr);
}

async function undo(code: number, ...options: readonly string[]): Promise<Pick<UndoLine, 'undone' | 'left'>> {
  const result = await runHere(place, ['undo', '--yes', '--format', 'json', ...options]);
  assert.deepEqual([result.code, result.stderr], [code, '']);
  const { undone, left } = undoLine.parse(JSON.parse(result.stdout));
  return { undone, left };
}

test('what a turn changed is waited for while it is still being recorded', { skip: process.platform === 'win32' }, async (t) => {
  place = { ...place, env: { ...place.env, ACP_HOST_STATE: path.join(place.workspace, '../state') } };
  const own = place;
  t.after(() => endEngine(own));
  const bin = path.join(place.workspace, '..', 'slow-git');
  const hold = path.join(bin, 'hold');
  await mkdir(bin);
  await writeFile(hold, '');
  // Git is quick before the edit, and waits after it.
  const waits = `if grep -q two '${at('a.txt')}'; then while test -e '${hold}'; do sleep 0.05; done; fi`;
  await writeFile(path.join(bin, 'git'), `#!/bin/sh\n${waits}\nexec /usr/bin/git "$@"\n`);
  await chmod(path.join(bin, 'git'), 0o755);
  const env = { PATH: `${bin}:${place.env['PATH'] ?? ''}` };
  const edit = ['run', '--agent', 'demo', '--permission', 'allow', 'edit a.txt one => two'];
  const running = new CliProcess(place, edit, env);
  await running.until('the wait', (_, text) => text.includes('Recording what the turn changed…'));
  const asked = new CliProcess(place, ['changes'], env);
  await asked.until('the wait', (_, text) => text.includes('Recording what the last turn changed…'));
  await rm(hold);
  const [ended, list] = await Promise.all([running.ended(), asked.ended()]);
  assert.match(ended.stderr, /\n1 file \+1 −1\n/);
  assert.match(list.stdout, /^Turn 1 .*\n {2}M a\.txt {2}\+1 −1\n$/);
});

test('it is that of the folder above, in a folder without conversations', async () => {
  await run('edit a.txt one => two');
  await mkdir(at('sub/deep'), { recursive: true });
  const below = { ...place, workspace: at('sub/deep') };
  const shown = await runHere(below, ['changes']);
  assert.match(shown.stdout, /^Turn 1 .*\n {2}M a\.txt/);
  assert.match(shown.stderr, /^acp-host: The conversation is in .*workspace[^/]*\n$/);
  assert.equal((await runHere(below, ['changes', '--last'])).code, 0);
  // An agent would work in another folder than the current one.
  const { code, stderr } = await runHere(below, ['run', '--agent', 'demo', '--continue', 'usage']);
  assert.equal(code, 3);
  assert.match(
    stderr,
    /^acp-host: No saved session to resume in .*deep\. The newest one above it is in .*workspace[^/]*, which --cwd selects\./,
  );
  assert.equal((await runHere({ ...place, workspace: path.join(place.workspace, '..') }, ['changes'])).code, 2);
  const undone = await runHere(below, ['undo', '--yes']);
  assert.deepEqual([undone.code, undone.stdout, await file('a.txt')], [0, 'Undone a.txt\n', 'one\n']);
});

test('an undo names the new name of a file that a later turn renamed', async () => {
  await run('edit a.txt one => two');
  await run('run mv a.txt b.txt', '--continue');
  assert.deepEqual(await undo(1, '--turn', '1'), { undone: [], left: [{ path: 'a.txt', why: 'changed', detail: 'b.txt' }] });
  const { stderr } = await runHere(place, ['undo', '--yes', '--turn', '1']);
  assert.equal(stderr, 'Left a.txt: A later turn renamed it to b.txt. Undo that turn first.\n');
  assert.deepEqual(await undo(0), { undone: ['b.txt'], left: [] });
  assert.deepEqual(await undo(0), { undone: ['a.txt'], left: [] });
  assert.equal(await file('a.txt'), 'one\n');
});
