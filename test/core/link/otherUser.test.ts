/** Another user of the machine, who wants to read along, or to be trusted. Needs root, which alone can start a program as somebody else. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, lstat, mkdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import type { HostError } from '../../../src/core/base/errors.js';
import { launchEngine } from '../../../src/core/link/launchEngine.js';
import { describeError } from '../../../src/text/errorText.js';
import { typescriptProgram } from '../../typescriptProgram.js';
import { failsWith, type LinkLab, openLinkLab, pidOf } from './linkLab.js';

const run = promisify(execFile);
const skip = process.getuid?.() !== 0 && 'only root can start a program as another user';
/** `nobody`, on most systems. */
const other = { uid: 65_534, gid: 65_534, cwd: '/' } as const;
const asOther = (file: string, ...args: readonly string[]): Promise<{ readonly stdout: string }> => run(file, [...args], other);

/** A folder for sockets that everybody may write to, like /tmp, and a state folder that everybody may enter. */
async function openShared(t: TestContext): Promise<LinkLab & { readonly sockets: string }> {
  const lab = await openLinkLab(t, 'state', (root) => ({ XDG_RUNTIME_DIR: undefined, TMPDIR: path.join(root, 'tmp') }));
  const temp = path.join(lab.root, 'tmp');
  // The runner's folder for temporary files may be private.
  for (const folder of [lab.root, path.dirname(lab.root)]) await chmod(folder, (await stat(folder)).mode | 0o011);
  await mkdir(temp);
  await chmod(temp, 0o1777);
  return { ...lab, sockets: path.join(temp, 'acp-host-0') };
}

const wordsOf = (error: HostError): string => describeError(error.toData(), { agent: 'Agent' }).text;

describe('another user', { skip }, () => {
  for (const mode of [0o700, 0o755]) {
    it(`cannot connect, or change what connects, and is told so, with a state folder of mode ${mode.toString(8)}`, async (t) => {
      const lab = await openShared(t);
      await mkdir(lab.state);
      await chmod(lab.state, mode);
      const { pid } = await lab.launch();
      const { address } = await lab.readFacts();
      assert.equal(path.dirname(address), lab.sockets);
      // It has a file ready that says what it wants.
      await asOther('/bin/sh', '-c', `umask 0; echo '{}' > "${path.join(path.dirname(lab.sockets), 'bait')}"`);
      const before = await readFile(lab.file, 'utf8');
      const { stdout } = await asOther(
        process.execPath,
        ...typescriptProgram(path.join(import.meta.dirname, 'intruder.ts')),
        lab.state,
        address,
      );
      const { uid, results, words } = JSON.parse(stdout) as { uid: number; results: Record<string, string>; words: string };
      assert.equal(uid, other.uid);
      assert.ok(Object.keys(results).length > 10);
      for (const [what, result] of Object.entries(results)) assert.match(result, /^(?:EACCES|EPERM|ENOENT)$/, what);
      assert.deepEqual([results['connect'], results['read the file'], results['list the sockets']], ['EACCES', 'EACCES', 'EACCES']);
      assert.match(words, /^ACP Host can't use its background process\. .*engine\.json can't be read: .*permission denied/);
      assert.equal(await readFile(lab.file, 'utf8'), before);
      assert.equal(await pidOf(await lab.connect()), pid);
    });
  }

  for (const [what, command] of [
    ['a folder', 'mkdir -m 700'],
    ['a folder for everybody', 'mkdir -m 777'],
    ['a link to a folder', 'ln -s /var/tmp'],
    ['a link to a folder that is private', 'ln -s /root'],
    ['a file', 'touch'],
  ] as const) {
    it(`cannot make the engine listen in ${what} that was there first`, async (t) => {
      const lab = await openShared(t);
      await asOther('/bin/sh', '-c', `${command} "${lab.sockets}"`);
      const before = await lstat(lab.sockets);
      assert.equal(before.uid, other.uid);
      const isFolder = what.startsWith('a folder');
      const error = await failsWith(lab.launch(), 'engine_failed', isFolder ? 'unsafe_owner' : 'unsafe_kind');
      assert.ok(wordsOf(error).includes(lab.sockets));
      assert.match(wordsOf(error), isFolder ? /belongs to another user/ : /not what ACP Host creates there/);
      assert.deepEqual([(await lstat(lab.sockets)).ino, (await lstat(lab.sockets)).ctimeMs], [before.ino, before.ctimeMs]);
      await assert.rejects(stat(lab.file));
    });
  }

  it('cannot make us save conversations in a folder of theirs', async (t) => {
    const lab = await openShared(t);
    const state = path.join(path.dirname(lab.sockets), 'acp-host');
    await asOther('/bin/mkdir', '-m', '777', state);
    const { args, ...program } = lab.program();
    const elsewhere = { ...program, args: args.map((arg) => (arg === lab.state ? state : arg)) };
    const error = await failsWith(launchEngine({ program: elsewhere, timeoutMs: 60_000 }), 'engine_failed', 'folder_of_other');
    assert.match(wordsOf(error), /^The folder .* belongs to another user/);
    await assert.rejects(stat(path.join(state, 'engine.json')));
  });
});
