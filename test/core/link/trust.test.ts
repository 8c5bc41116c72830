/** Whom the link trusts: files, folders, and what listens. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, chown, lstat, mkdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it, type TestContext } from 'node:test';
import { newAddress } from '../../../src/core/link/listen.js';
import type { Disposable } from '../../../src/core/base/disposable.js';
import { connectToEngine } from '../../../src/core/link/connect.js';
import { listenAsEngine } from '../../../src/core/link/listen.js';
import { launchEngine } from '../../../src/core/link/launchEngine.js';
import { failsWith, hello, type LinkLab, openLinkLab } from './linkLab.js';

const isRoot = process.getuid?.() === 0;
const needsRoot = isRoot ? {} : { skip: 'only root can give a file to another user' };
const someoneElse = 12_345;

function listen(stateFolder: string): Promise<Disposable | 'lost'> {
  const nothing = (): void => {};
  const options = {
    version: '1.0.0',
    linkVersion: 1,
    isBusy: () => 0,
    onConnection: nothing,
    onEndRequested: nothing,
    onDisplaced: nothing,
  };
  return listenAsEngine({ stateFolder, ...options });
}

describe('the file of an engine', () => {
  const otherwise: readonly {
    readonly what: string;
    readonly make: (lab: LinkLab) => Promise<void>;
    readonly reason: string;
    readonly needs?: { readonly skip?: string };
  }[] = [
    {
      what: 'a symbolic link',
      make: async ({ file, root }) => {
        await rename(file, path.join(root, 'target'));
        await symlink(path.join(root, 'target'), file);
      },
      reason: 'unsafe_kind',
    },
    { what: 'a link that leads nowhere', make: async ({ file }) => rm(file).then(() => symlink('/nowhere', file)), reason: 'unsafe_kind' },
    { what: 'a folder', make: async ({ file }) => rm(file).then(() => mkdir(file)), reason: 'unsafe_kind' },
    { what: 'readable by others', make: ({ file }) => chmod(file, 0o644), reason: 'unsafe_mode' },
    { what: 'writable by a group', make: ({ file }) => chmod(file, 0o620), reason: 'unsafe_mode' },
    { what: "another user's", make: ({ file }) => chown(file, someoneElse, someoneElse), reason: 'unsafe_owner', needs: needsRoot },
    { what: 'too large', make: ({ file }) => writeFile(file, 'x'.repeat(100_000)), reason: 'unsafe_kind' },
    { what: 'no JSON', make: ({ file }) => writeFile(file, '{"format":'), reason: 'file_foreign' },
    { what: 'of another program', make: ({ file }) => writeFile(file, '{"format":"other","version":1}'), reason: 'file_foreign' },
    { what: 'incomplete', make: ({ file }) => writeFile(file, '{"format":"acp-host-engine","version":1}'), reason: 'file_foreign' },
    { what: 'of a newer version', make: ({ file }) => writeFile(file, '{"format":"acp-host-engine","version":2}'), reason: 'file_newer' },
  ];
  for (const { what, make, reason, needs = {} } of otherwise) {
    it(`is refused, and stays as it is, if it is ${what}`, needs, async (t) => {
      const lab = await openLinkLab(t);
      await lab.writeFacts();
      await make(lab);
      const before = await lstat(lab.file);
      const error = await failsWith(lab.connect(), 'engine_failed', reason);
      assert.equal(error.params['path'], lab.file);
      await failsWith(listen(lab.state), 'engine_failed', reason);
      const after = await lstat(lab.file);
      assert.deepEqual([after.ino, after.size, after.mtimeMs, after.ctimeMs], [before.ino, before.size, before.mtimeMs, before.ctimeMs]);
    });
  }

  it('is never replaced if it is of another machine', async (t) => {
    const lab = await openLinkLab(t);
    const text = await lab.writeFacts({ host: 'other-machine' });
    const error = await failsWith(lab.connect(), 'engine_failed', 'other_machine');
    assert.equal(error.params['host'], 'other-machine');
    await failsWith(listen(lab.state), 'engine_failed', 'other_machine');
    // The starter learns why from its engine.
    await failsWith(lab.launch(), 'engine_failed', 'other_machine');
    assert.equal(await readFile(lab.file, 'utf8'), text);
  });

  it('is replaced in spite of a lock that nobody removed', async (t) => {
    const lab = await openLinkLab(t);
    await lab.writeFacts();
    await mkdir(`${lab.file}.lock`);
    const longAgo = Date.now() / 1000 - 11;
    await utimes(`${lab.file}.lock`, longAgo, longAgo);
    const listening = await listen(lab.state);
    assert.ok(listening !== 'lost');
    listening.dispose();
    await assert.rejects(lstat(`${lab.file}.lock`));
  });

  it('waits while another process replaces it', async (t) => {
    const lab = await openLinkLab(t);
    await lab.writeFacts();
    await mkdir(`${lab.file}.lock`);
    let isDone = false;
    const starting = listen(lab.state).finally(() => (isDone = true));
    for (let round = 0; round < 5; round++) await assert.rejects(lab.connect({ launch: () => Promise.reject(new Error('none')) }));
    assert.equal(isDone, false);
    await rm(`${lab.file}.lock`, { recursive: true });
    const listening = await starting;
    assert.ok(listening !== 'lost');
    listening.dispose();
  });
});

describe('a state folder', () => {
  it('that cannot be made is reported', async (t) => {
    const lab = await openLinkLab(t);
    await writeFile(lab.state, '');
    const error = await failsWith(lab.launch(), 'engine_failed', 'folder_unwritable');
    assert.deepEqual([error.params['path'], error.params['systemCode']], [lab.state, 'ENOTDIR']);
  });

  it('that is full is reported by the engine', { skip: process.platform !== 'linux' && 'needs prlimit' }, async (t) => {
    const lab = await openLinkLab(t);
    const { file, args, env, cwd } = lab.program();
    // As on a full disk, no file can get content.
    const program = { file: '/usr/bin/prlimit', args: ['--fsize=0', file, ...args], env, cwd };
    const error = await failsWith(launchEngine({ program, timeoutMs: 60_000 }), 'engine_failed', 'folder_unwritable');
    assert.equal(error.params['systemCode'], 'EFBIG');
    await assert.rejects(readFile(lab.file));
  });

  it('may have a long path', async (t) => {
    const lab = await openLinkLab(t, `${'long/'.repeat(40)}${'ü'.repeat(100)}`);
    await mkdir(lab.state, { recursive: true });
    await lab.connect();
    assert.ok(Buffer.byteLength((await lab.readFacts()).address) < 100);
  });
});

describe('the folder of the sockets', () => {
  const uid = process.getuid?.() ?? 0;

  it('is in the runtime folder of the user if nobody else can enter that', async (t) => {
    const { root } = await openLinkLab(t);
    const env = { XDG_RUNTIME_DIR: root, TMPDIR: root };
    assert.equal(path.dirname(newAddress('/state', env)), path.join(root, 'acp-host'));
    assert.equal((await lstat(path.join(root, 'acp-host'))).mode & 0o777, 0o700);
    await chmod(root, 0o755);
    for (const folder of [root, 'relative', path.join(root, 'missing')])
      assert.equal(path.dirname(newAddress('/state', { XDG_RUNTIME_DIR: folder, TMPDIR: root })), path.join(root, `acp-host-${uid}`));
  });

  it('is in /tmp if all others are too long', async (t) => {
    const { root } = await openLinkLab(t);
    const long = path.join(root, 'x'.repeat(80));
    await mkdir(long, { mode: 0o700 });
    assert.equal(path.dirname(newAddress('/state', { XDG_RUNTIME_DIR: long, TMPDIR: long })), path.join('/tmp', `acp-host-${uid}`));
  });

  it('is different for each engine, and tells state folders apart', async (t) => {
    const { root: TMPDIR } = await openLinkLab(t);
    const [one, two, other] = ['/a', '/a', '/b'].map((state) => path.basename(newAddress(state, { TMPDIR })).split('-'));
    assert.deepEqual([one?.[0] === two?.[0], one?.[1] === two?.[1], one?.[0] === other?.[0]], [true, false, false]);
  });

  it('is refused, and stays as it is, if others may have access', async (t) => {
    const { root: TMPDIR } = await openLinkLab(t);
    const folder = path.join(TMPDIR, `acp-host-${uid}`);
    const refuses = (reason: string): Promise<unknown> =>
      failsWith(
        Promise.resolve().then(() => newAddress('/state', { TMPDIR })),
        'engine_failed',
        reason,
      );
    await mkdir(path.join(TMPDIR, 'target'), { mode: 0o700 });
    await symlink(path.join(TMPDIR, 'target'), folder);
    await refuses('unsafe_kind');
    await rm(folder);
    await writeFile(folder, '');
    await refuses('unsafe_kind');
    await rm(folder);
    await mkdir(folder);
    await chmod(folder, 0o750);
    await refuses('unsafe_mode');
    assert.equal((await lstat(folder)).mode & 0o777, 0o750);
    if (!isRoot) return;
    await chmod(folder, 0o700);
    await chown(folder, someoneElse, someoneElse);
    await refuses('unsafe_owner');
  });
});

/**
 * Listens where a lying file says that an engine does.
 * @param answer is called when something arrives
 * @returns what it got, when its connections are closed
 */
async function impersonate(t: TestContext, lab: LinkLab, answer: (socket: Socket) => void): Promise<() => Promise<string>> {
  const address = path.join(lab.root, 'impostor');
  let got = '';
  const sockets: Socket[] = [];
  const closings: Promise<unknown>[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    closings.push(new Promise((resolve) => socket.once('close', resolve)));
    socket.on('error', () => {});
    socket.on('data', (bytes) => (got += bytes.toString()));
    socket.once('data', () => answer(socket));
  });
  server.listen(address);
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await lab.writeFacts({ address });
  return async () => {
    await Promise.all(closings);
    return got;
  };
}

describe('an impostor', () => {
  const answers: readonly { readonly what: string; readonly answer: string }[] = [
    { what: 'does not know the token', answer: '{"proof":"AAAA","nonce":"n"}\n' },
    { what: 'speaks something else', answer: 'HTTP/1.1 400 Bad Request\r\n\r\n' },
    { what: 'never ends its line', answer: 'x'.repeat(100_000) },
  ];
  for (const { what, answer } of answers) {
    it(`that ${what} gets nothing and is refused`, async (t) => {
      const lab = await openLinkLab(t);
      const got = await impersonate(t, lab, (socket) => socket.write(answer));
      await failsWith(lab.connect(), 'engine_failed', 'impostor');
      assert.match(await got(), /^\{"acpHost":"engine","nonce":"[\w-]{43}"\}\n$/);
    });
  }

  it('that says nothing is an engine that hangs', async (t) => {
    const lab = await openLinkLab(t);
    const got = await impersonate(t, lab, () => {});
    await failsWith(lab.connect({ timeouts: { greetingMs: 100 } }), 'engine_hangs');
    assert.doesNotMatch(await got(), /secret-token/);
  });

  it('that hangs up does not keep a front end for ever', async (t) => {
    const lab = await openLinkLab(t);
    await impersonate(t, lab, (socket) => socket.destroy());
    await failsWith(lab.connect({ timeouts: { endMs: 100 } }), 'engine_hangs');
  });

  it('among the front ends is not let in, even if it repeats what the engine says', async (t) => {
    const lab = await openLinkLab(t);
    await lab.connect();
    const { address, token } = await lab.readFacts();
    const talk = async (say: (proof: string, nonce: string) => unknown, nonce = 'n'): Promise<string | undefined> => {
      const socket = connect(address);
      t.after(() => socket.destroy());
      const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
      socket.on('error', () => {}).write(`${JSON.stringify({ acpHost: 'engine', nonce })}\n`);
      const { proof, nonce: theirs } = JSON.parse(String((await lines.next()).value));
      socket.write(`${JSON.stringify(await say(proof, theirs))}\n`);
      const next = await lines.next();
      return next.done === true ? undefined : next.value;
    };
    assert.equal(await talk(() => ({ proof: token, hello })), undefined);
    assert.equal(await talk(() => 'garbage'), undefined);
    assert.equal(
      await talk(async (_, theirs) => {
        let proof = '';
        await talk((ofEngine) => (proof = ofEngine), theirs);
        return { proof, hello };
      }),
      undefined,
    );
  });

  it('cannot keep others out of the engine', async (t) => {
    const lab = await openLinkLab(t);
    await lab.connect();
    const { address } = await lab.readFacts();
    for (let count = 0; count < 50; count++) {
      const socket = connect(address).on('error', () => {});
      t.after(() => socket.destroy());
    }
    assert.ok(await connectToEngine({ stateFolder: lab.state, hello }).then((wire) => (wire?.dispose(), true)));
  });
});
