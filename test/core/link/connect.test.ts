import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { Disposable } from '../../../src/core/base/disposable.js';
import { connectToEngine } from '../../../src/core/link/connect.js';
import { reachEngine, writeEngineFacts } from '../../../src/core/link/engineFile.js';
import { listenAsEngine, type ServeOptions } from '../../../src/core/link/listen.js';
import type { Wire } from '../../../src/core/link/wire.js';
import { goneWithin, identifyProcess } from '../../../src/core/node/processTree.js';
import { failsWith, hello, type LinkLab, openLinkLab, pidOf } from './linkLab.js';

/** An engine in this process. */
async function listenHere(lab: LinkLab, options: Partial<ServeOptions> = {}): Promise<Disposable | 'lost'> {
  const listening = await listenAsEngine({
    stateFolder: lab.state,
    version: hello.version,
    linkVersion: hello.linkVersion,
    isBusy: () => 0,
    onConnection: (wire) => wire.serve(async () => ({ pid: process.pid })),
    onEndRequested: () => {},
    onDisplaced: () => {},
    ...options,
  });
  if (listening !== 'lost') lab.owns(listening);
  return listening;
}

const closed = (wire: Wire): Promise<unknown> => new Promise((resolve) => wire.onClosed(resolve));
const older = { ...hello, version: '1.9.0' };
const newer = { ...hello, version: '1.10.0' };
const newerLink = { ...newer, linkVersion: 2 };

describe('a front end', () => {
  it('finds no engine, and starts none without being told how', async (t) => {
    const lab = await openLinkLab(t);
    assert.equal(await connectToEngine({ stateFolder: lab.state, hello }), undefined);
  });

  it('starts an engine, which others find and which outlives the connection', async (t) => {
    const lab = await openLinkLab(t);
    const first = await lab.connect();
    const pid = await pidOf(first);
    assert.deepEqual(await first.call('hello', {}), hello);
    const { address, pid: published } = await lab.readFacts();
    assert.equal(published, pid);
    assert.equal((await stat(lab.file)).mode & 0o777, 0o600);
    assert.ok(Buffer.byteLength(address) < 100);
    first.dispose();
    assert.equal(await pidOf(await lab.connect({ launch: () => assert.fail('there is one') })), pid);
  });

  it('replaces an engine that was killed', async (t) => {
    const lab = await openLinkLab(t);
    const first = await lab.connect();
    const { address, pid } = await lab.readFacts();
    const end = closed(first);
    process.kill(pid, 'SIGKILL');
    await end;
    assert.equal(await connectToEngine({ stateFolder: lab.state, hello }), undefined);
    assert.notEqual(await pidOf(await lab.connect()), pid);
    assert.notEqual((await lab.readFacts()).address, address);
    await assert.rejects(stat(address), 'the socket of the dead engine is left');
  });

  it('replaces an engine whose process has become another one, and one whose socket refuses or is missing', async (t) => {
    const lab = await openLinkLab(t);
    const otherStart = { startedAt: '1' };
    // A socket that is bound and doesn't listen refuses, as that of a killed process does.
    const refusing = path.join(lab.root, 'refusing');
    const server = createServer().listen(refusing);
    await once(server, 'listening');
    await rename(refusing, `${refusing}-kept`);
    server.close();
    for (const facts of [otherStart, {}, { address: `${refusing}-kept` }]) {
      await lab.writeFacts(facts);
      assert.equal(await connectToEngine({ stateFolder: lab.state, hello }), undefined, JSON.stringify(facts));
      const listening = await listenHere(lab);
      assert.ok(listening !== 'lost', JSON.stringify(facts));
      listening.dispose();
    }
  });

  it('replaces a file that lost its content with the power', async (t) => {
    const lab = await openLinkLab(t);
    await lab.writeFacts();
    for (const content of ['', '\0'.repeat(300)]) {
      await writeFile(lab.file, content, { mode: 0o600 });
      const listening = await listenHere(lab);
      assert.ok(listening !== 'lost');
      listening.dispose();
    }
  });

  it('gives up starting engines that end at once', async (t) => {
    const lab = await openLinkLab(t);
    let launches = 0;
    const launch = async (): Promise<{ outcome: 'ready'; pid: number }> => ({ outcome: 'ready', pid: ++launches });
    await failsWith(lab.connect({ launch }), 'engine_failed', 'ended_at_once');
    assert.equal(launches, 3);
  });

  it('says that the engine hangs, and connects when it goes on', async (t) => {
    const lab = await openLinkLab(t);
    const pid = await pidOf(await lab.connect());
    process.kill(pid, 'SIGSTOP');
    const error = await failsWith(lab.connect({ timeouts: { greetingMs: 200 } }), 'engine_hangs');
    assert.equal(error.params['pid'], pid);
    const connecting = lab.connect();
    process.kill(pid, 'SIGCONT');
    assert.equal(await pidOf(await connecting), pid);
  });

  it('notices when a hanging engine is killed, and starts another one', async (t) => {
    const lab = await openLinkLab(t);
    const pid = await pidOf(await lab.connect());
    process.kill(pid, 'SIGSTOP');
    const connecting = lab.connect({ timeouts: { greetingMs: 60_000, endMs: 60_000 } });
    process.kill(pid, 'SIGKILL');
    assert.notEqual(await pidOf(await connecting), pid);
  });
});

describe('versions', () => {
  it('an idle engine that is older ends for a newer front end', async (t) => {
    const lab = await openLinkLab(t);
    for (const next of [newer, { ...newerLink, version: '1.11.0' }]) {
      const first = await lab.connect({ hello: older });
      const pid = await pidOf(first);
      const end = closed(first);
      const second = await lab.connect({ hello: next });
      await end;
      assert.notEqual(await pidOf(second), pid);
      assert.equal((await lab.readFacts()).productVersion, next.version);
      process.kill(await pidOf(second), 'SIGKILL');
      await closed(second);
    }
  });

  it('several newer front ends end it once, and share the next one', async (t) => {
    const lab = await openLinkLab(t);
    const old = await pidOf(await lab.connect({ hello: older }));
    const pids = await Promise.all(Array.from({ length: 4 }, async () => pidOf(await lab.connect({ hello: newer }))));
    assert.equal(new Set(pids).size, 1);
    assert.notEqual(pids[0], old);
  });

  it('a busy engine that is older is used if its link fits', async (t) => {
    const lab = await openLinkLab(t);
    const first = await lab.connect({ hello: older });
    await first.call('set_turns', 2);
    assert.equal(await pidOf(await lab.connect({ hello: newer })), await pidOf(first));
    const error = await failsWith(lab.connect({ hello: newerLink }), 'engine_older');
    assert.deepEqual(error.params, { turns: 2, version: older.version });
    assert.equal(((await first.call('who', {})) as { version: string }).version, older.version);
  });

  it('no engine ends for a front end that can start none', async (t) => {
    const lab = await openLinkLab(t);
    const pid = await pidOf(await lab.connect({ hello: older }));
    const found = await connectToEngine({ stateFolder: lab.state, hello: newer });
    assert.equal(found && (await pidOf(found)), pid);
    found?.dispose();
    await failsWith(connectToEngine({ stateFolder: lab.state, hello: newerLink }), 'engine_older');
  });

  it('an engine that is newer is used if its link fits', async (t) => {
    const lab = await openLinkLab(t);
    const pid = await pidOf(await lab.connect({ hello: newer }));
    assert.equal(await pidOf(await lab.connect({ hello: older })), pid);
    const error = await failsWith(lab.connect({ hello: { ...newer, linkVersion: 0 } }), 'engine_newer');
    assert.deepEqual(error.params, { version: newer.version });
  });

  it('an engine that needs time to end keeps the folder until then', async (t) => {
    const lab = await openLinkLab(t);
    let note = (): void => {};
    const asked = new Promise<void>((resolve) => (note = resolve));
    const listening = await listenHere(lab, { version: older.version, onEndRequested: () => note() });
    assert.ok(listening !== 'lost');
    const connecting = lab.connect({ hello: newer });
    await asked;
    assert.equal((await lab.readFacts()).pid, process.pid);
    await failsWith(lab.connect({ hello: older, timeouts: { endMs: 0 } }), 'engine_hangs');
    listening.dispose();
    assert.notEqual(await pidOf(await connecting), process.pid);
  });
});

describe('an engine', () => {
  it('loses against one that has the folder', async (t) => {
    const lab = await openLinkLab(t);
    const first = await listenHere(lab);
    assert.equal(await listenHere(lab), 'lost');
    assert.equal((await lab.launch()).outcome, 'lost');
    assert.ok(first !== 'lost');
    const { address } = await lab.readFacts();
    first.dispose();
    first.dispose();
    await assert.rejects(readFile(lab.file));
    await assert.rejects(stat(address));
    assert.ok((await listenHere(lab)) !== 'lost');
  });

  it('is found through a link to its folder, and by a machine that has another name now', async (t) => {
    const lab = await openLinkLab(t);
    const listening = await listenHere(lab);
    assert.ok(listening !== 'lost');
    const facts = { ...(await lab.readFacts()), host: 'name-of-yesterday' };
    (await reachEngine(lab.file, { text: writeEngineFacts(facts), facts }))?.destroy();
  });

  it('is not there if it stops listening before it has accepted the connection', async (t) => {
    const lab = await openLinkLab(t);
    const listening = await listenHere(lab);
    assert.ok(listening !== 'lost');
    const facts = await lab.readFacts();
    const end = (): void => queueMicrotask(() => listening.dispose());
    subscribe('net.client.socket', end);
    t.after(() => unsubscribe('net.client.socket', end));
    assert.equal(await reachEngine(lab.file, { text: writeEngineFacts(facts), facts }), undefined);
  });

  it('learns that the file names another one', async (t) => {
    const lab = await openLinkLab(t);
    const pid = await pidOf(await lab.connect());
    const identity = await identifyProcess(pid);
    assert.ok(identity !== undefined);
    await writeFile(`${lab.file}.new`, (await readFile(lab.file, 'utf8')).replace('token', 'other'), { mode: 0o600 });
    await rename(`${lab.file}.new`, lab.file);
    await goneWithin([identity], 60_000);
    assert.equal(await identifyProcess(pid), undefined);
  });

  for (const [what, remove] of [
    ['the file', (file: string) => rm(file)],
    ['its folder', (file: string) => rm(path.dirname(file), { recursive: true })],
  ] as const)
    it(`writes the file again if ${what} was removed`, async (t) => {
      const lab = await openLinkLab(t);
      const pid = await pidOf(await lab.connect());
      const text = await readFile(lab.file, 'utf8');
      await remove(lab.file);
      for (;;) {
        const found = await readFile(lab.file, 'utf8').catch(() => undefined);
        if (found !== undefined) {
          assert.equal(found, text);
          break;
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.equal(await pidOf(await lab.connect()), pid);
    });

  it('withdraws no file but its own', async (t) => {
    const lab = await openLinkLab(t);
    const listening = await listenHere(lab);
    assert.ok(listening !== 'lost');
    const text = await lab.writeFacts();
    listening.dispose();
    assert.equal(await readFile(lab.file, 'utf8'), text);
  });
});
