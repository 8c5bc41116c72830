import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { HostError } from '../../../src/core/base/errors.js';
import { findNode, type LaunchedEngine, launchEngine } from '../../../src/core/link/launchEngine.js';
import { goneWithin, identifyProcess, signalAll } from '../../../src/core/node/processTree.js';
import { failsWith } from './linkLab.js';

const program = (script: string): Parameters<typeof launchEngine>[0]['program'] => ({
  file: process.execPath,
  args: ['-e', script],
  env: process.env,
  cwd: tmpdir(),
});
const launch = (script: string, timeoutMs = 60_000): Promise<LaunchedEngine> => launchEngine({ program: program(script), timeoutMs });
const forEver = 'setInterval(() => {}, 1e6)';

/** Asserts that the process ends, whose pid the program reported on stderr. */
async function assertGone(error: HostError): Promise<void> {
  const [pid] = /\d+/.exec(error.params.detail ?? '') ?? [];
  const identity = await identifyProcess(Number(pid));
  if (identity !== undefined) await goneWithin([identity], 60_000);
  assert.equal(await identifyProcess(Number(pid)), undefined);
}

describe('a program of an engine', () => {
  it('that is ready runs on in a session of its own, whatever it prints', async (t) => {
    const noisy = `${forEver}; for (const s of [process.stdout, process.stderr]) s.on('error', () => {});
      console.log('ready'); setInterval(() => { console.log('x'); console.error('x'); }, 1)`;
    const { outcome, pid } = await launch(noisy);
    const identity = await identifyProcess(pid);
    assert.ok(identity !== undefined);
    t.after(async () => {
      await signalAll([identity], 'SIGKILL');
      await goneWithin([identity], 60_000);
    });
    assert.equal(outcome, 'ready');
    if (process.platform !== 'win32') assert.doesNotThrow(() => process.kill(-pid, 0));
  });

  it('that lost says so', async () => {
    assert.equal((await launch("console.log('lost')")).outcome, 'lost');
  });

  it('that fails reports why', async () => {
    const data = JSON.stringify(new HostError('engine_failed', { reason: 'folder_unwritable', path: '/p' }).toData());
    const error = await failsWith(launch(`console.log('failed ' + ${JSON.stringify(data)})`), 'engine_failed', 'folder_unwritable');
    assert.equal(error.params['path'], '/p');
  });

  it('that exits before is reported with its last words', async () => {
    const error = await failsWith(launch("console.error('no', 'luck'); process.exitCode = 3"), 'engine_failed', 'exited');
    assert.deepEqual(error.params, { reason: 'exited', exitCode: 3, detail: 'no luck' });
    const killed = await failsWith(launch("process.kill(process.pid, 'SIGKILL')"), 'engine_failed', 'exited');
    assert.equal(killed.params['signal'], 'SIGKILL');
  });

  it('that prints nothing is ended', async () => {
    // The time begins before the program runs, so that it may be too short for the pid.
    for (let timeoutMs = 500; ; timeoutMs *= 2) {
      const error = await failsWith(launch(`console.error(process.pid); ${forEver}`, timeoutMs), 'engine_failed', 'not_ready');
      if (error.params.detail !== '') return assertGone(error);
    }
  });

  it('that prints something else is ended', async () => {
    for (const text of ["'Welcome!\\n'", '\'failed {"code":1}\\n\'', "'x'.repeat(1e6)"]) {
      const error = await failsWith(launch(`process.stdout.write(${text}); ${forEver}`), 'engine_failed', 'bad_answer');
      assert.ok((error.params.detail?.length ?? 0) <= 200);
    }
  });

  it('that does not exist is reported', async () => {
    const missing = { ...program(''), file: path.join(tmpdir(), 'no-such-program') };
    await failsWith(launchEngine({ program: missing, timeoutMs: 60_000 }), 'engine_failed', 'not_started');
  });
});

describe('what runs an engine', () => {
  /** A folder with a program called node that prints this version. */
  async function folderWithNode(t: TestContext, script: string): Promise<{ readonly PATH: string; readonly file: string }> {
    const folder = await mkdtemp(path.join(tmpdir(), 'acp-host-node-'));
    t.after(() => rm(folder, { recursive: true }));
    const file = path.join(folder, 'node');
    await mkdir(folder, { recursive: true });
    await writeFile(file, `#!/bin/sh\n${script}\n`);
    await chmod(file, 0o755);
    return { PATH: folder, file };
  }

  it('is this program if it is Node', async () => {
    assert.deepEqual(await findNode({}, '/node', false), { file: '/node', env: {} });
  });

  it('is Node from the PATH if this program is an editor', { skip: process.platform === 'win32' && 'needs a shell' }, async (t) => {
    const { PATH, file } = await folderWithNode(t, 'echo v22.1.0');
    assert.deepEqual(await findNode({ PATH }, '/editor', true), { file, env: {} });
  });

  it('is the editor as Node if there is none, or only an old or broken one', async (t) => {
    const editor = { file: '/editor', env: { ELECTRON_RUN_AS_NODE: '1' } };
    assert.deepEqual(await findNode({ PATH: '' }, '/editor', true), editor);
    for (const script of ['echo v18.20.0', 'echo hello', 'exit 1']) {
      const { PATH } = await folderWithNode(t, script);
      assert.deepEqual(await findNode({ PATH }, '/editor', true), editor, script);
    }
  });
});
