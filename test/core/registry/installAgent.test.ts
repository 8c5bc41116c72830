import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmdirSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type HostErrorData, toHostError } from '../../../src/core/base/errors.js';
import { createSmallFile } from '../../../src/core/node/smallFiles.js';
import {
  defaultInstallLimits,
  installAgent,
  type InstallOptions,
  type InstallQuestion,
  type InstallStep,
  removeAgent,
} from '../../../src/core/registry/installAgent.js';
import { definitionOfInstalled, readInstalledAgent, readInstalledAgents } from '../../../src/core/registry/installedAgents.js';
import { parseRegistry } from '../../../src/core/registry/registryEntry.js';
import { type AgentMirror, agentProgram, publishAgent, startAgentMirror, tarGz, zip } from '../../standIns/agentMirror.js';

const target = { platform: 'linux', arch: 'x64' } as const;
/** Whether the system lets this user make a small disk of a folder. */
function canMount(): boolean {
  const folder = mkdtempSync(path.join(tmpdir(), 'acp-host-mount-'));
  const isMounted = process.platform === 'linux' && spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', folder]).status === 0;
  if (isMounted) spawnSync('umount', ['-l', folder]);
  rmdirSync(folder);
  return isMounted;
}
/** An archive with `bin/agent`, made by bzip2. */
const tarBz2 =
  'QlpoOTFBWSZTWZ7alX0AAI37gcuQAEBoAd+AAIB65Z5AAEAICCAAkoSqDQAANDIGmmQSJUyPRDQbU9QaBkNM8i4hjkwAdSSEX78Sc7QivaWkhCGBjl6qWiedfyjoWApDBGBAiDtS7dwiL8DT0iyxtgvcVF4rVkp2nNjChrRb0IrWVCC5w+S08HPMUkCD+LuSKcKEhPbUq+g=';
const hasGit = spawnSync('git', ['--version']).status === 0;

describe('installing an agent', () => {
  let home: string;
  let mirror: AgentMirror;
  let stateFolder: string;
  let asked: InstallQuestion[];
  let steps: InstallStep[];
  before(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'acp-host-install-'));
    mirror = await startAgentMirror(home);
  });
  after(async () => {
    await mirror.close();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  });
  beforeEach(async () => {
    stateFolder = await mkdtemp(path.join(home, 'state-'));
    asked = [];
    steps = [];
  });

  function install(distribution: object, o: { readonly version?: string } & Partial<InstallOptions> = {}) {
    const entry = parseRegistry(
      { agents: [{ id: 'small', name: 'Small agent', version: o.version ?? '1.0.0', description: 'For tests', distribution }] },
      target,
      mirror.registryUrl,
    )?.entries[0];
    const way = entry?.ways[0];
    assert.ok(entry !== undefined && way !== undefined);
    return installAgent(entry, way, {
      stateFolder,
      env: { ...process.env, ...mirror.env },
      signal: new AbortController().signal,
      onStep: (step) => steps.push(step),
      consent: (question) => {
        asked.push(question);
        return Promise.resolve(true);
      },
      ...o,
    });
  }
  const failure = (work: Promise<unknown>): Promise<HostErrorData> =>
    work.then(
      () => assert.fail('It did not fail'),
      (error: unknown) => toHostError(error).toData(),
    );
  const reasonOf = async (work: Promise<unknown>): Promise<unknown> => {
    const { code, params } = await failure(work);
    return params.reason ?? code;
  };
  const versionsOnDisk = async (): Promise<readonly string[]> =>
    (await readdir(path.join(stateFolder, 'agents/small'))).filter((name) => /^\d/.test(name)).map((name) => name.replace(/-.*/, ''));
  const binary = (url: string, o: object = {}) => ({
    binary: { 'linux-x86_64': { archive: url, cmd: './bin/agent', args: ['--acp'], ...o } },
  });
  const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

  describe('from npm', () => {
    it("pins the version, keeps the lock file, and makes it a definition, in its folder, whatever the user's npm does", async () => {
      const userconfig = path.join(home, 'global.npmrc');
      await writeFile(userconfig, `location=global\nglobal=true\nprefix=${home}/global\n`);
      await publishAgent(mirror, '@tests/small-agent', '1.0.0');
      const npx = { package: '@tests/small-agent@1.0.0', args: ['--acp'], env: { SMALL: '1' } };
      const agent = await install({ npx }, { env: { ...process.env, ...mirror.env, npm_config_userconfig: userconfig } });
      assert.equal(existsSync(path.join(home, 'global')), false);
      const definition = definitionOfInstalled(stateFolder, agent);
      assert.deepEqual(
        { ...definition, command: existsSync(definition.command) },
        { id: 'small', label: 'Small agent', protocol: 'acp', command: true, args: ['--acp'], env: { SMALL: '1' } },
      );
      const folder = path.join(stateFolder, 'agents/small', agent.folder);
      assert.match(await readFile(path.join(folder, 'package-lock.json'), 'utf8'), /"@tests\/small-agent"[^]*"integrity"/);
      assert.equal(JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')).dependencies['@tests/small-agent'], '1.0.0');
      assert.deepEqual(await readInstalledAgents(stateFolder), [agent]);
      assert.deepEqual(asked, []);
      assert.ok(steps.some((step) => step.type === 'running' && step.tool === 'npm'));
    });

    it('runs scripts of packages only with consent', async () => {
      const script = "require('node:fs').writeFileSync('ran', '')";
      await publishAgent(mirror, 'scripted', '2.0.0', { scripts: { postinstall: `node -e "${script}"` } });
      const ran = (folder: string): boolean => existsSync(path.join(stateFolder, 'agents/small', folder, 'node_modules/scripted/ran'));
      const without = await install({ npx: { package: 'scripted@2.0.0' } }, { consent: () => Promise.resolve(false) });
      assert.equal(ran(without.folder), false);
      const withScripts = await install({ npx: { package: 'scripted@2.0.0' } });
      assert.deepEqual(asked, [{ type: 'scripts', packages: ['scripted@2.0.0'] }]);
      assert.equal(ran(withScripts.folder), true);
    });

    it('leaves the old version as it is if the new one fails half-way', async () => {
      const old = await install(binary(mirror.put('/half.tar.gz', await tarGz({ 'bin/agent': 'x' }))));
      await publishAgent(mirror, 'half', '1.1.0', { dependencies: { 'not-there': '1.0.0' } });
      const { params } = await failure(install({ npx: { package: 'half@1.1.0' } }, { version: '1.1.0' }));
      assert.equal(params.reason, 'tool_failed');
      assert.match(params.detail ?? '', /not-there/);
      assert.deepEqual(readInstalledAgent(stateFolder, 'small'), old);
      assert.ok(existsSync(definitionOfInstalled(stateFolder, old).command));
      assert.deepEqual(await versionsOnDisk(), ['1.0.0']);
    });

    it('ends npm with everything that it started when it is canceled', async () => {
      const cancel = new AbortController();
      const stuck = new Promise<void>((resolve) =>
        mirror.put('/npm/stuck', () => {
          resolve();
        }),
      );
      const installing = failure(install({ npx: { package: 'stuck@1.0.0' } }, { signal: cancel.signal }));
      await stuck;
      cancel.abort();
      assert.equal((await installing).code, 'cancelled');
      assert.deepEqual(await versionsOnDisk(), []);
    });

    it('builds no dependency on a repository', { skip: !hasGit && 'git is not installed' }, async () => {
      const repository = path.join(home, 'repository');
      const ran = path.join(home, 'prepared');
      await mkdir(repository);
      const script = `node -e "require('node:fs').writeFileSync(process.env.RAN, '')"`;
      await writeFile(
        path.join(repository, 'package.json'),
        JSON.stringify({ name: 'far', version: '1.0.0', scripts: { prepare: script } }),
      );
      const git = (...args: readonly string[]) =>
        assert.equal(spawnSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...args], { cwd: repository }).status, 0);
      git('init', '--quiet');
      git('add', '.');
      git('commit', '--quiet', '--message', 'first');
      await publishAgent(mirror, 'needs-far', '1.0.0', { dependencies: { far: `git+file://${repository}` } });
      const env = { ...process.env, ...mirror.env, RAN: ran };
      assert.equal(await reasonOf(install({ npx: { package: 'needs-far@1.0.0' } }, { env })), 'tool_failed');
      assert.equal(existsSync(ran), false);
    });

    it('says that npm is missing', async () => {
      assert.equal(await reasonOf(install({ npx: { package: 'small@1.0.0' } }, { env: { PATH: '/nowhere' } })), 'tool_missing');
    });
  });

  describe('from a Python index', () => {
    const python = spawnSync('python3', ['-m', 'venv', '--help'], { stdio: 'ignore' }).status === 0;

    it('pins the version in an environment of its own', { skip: !python && 'python3 with its module venv is not installed' }, async () => {
      const wheel = zip({
        'small_py.py': 'def main():\n    print("small")\n',
        'small_py-1.0.0.dist-info/METADATA': 'Metadata-Version: 2.1\nName: small-py\nVersion: 1.0.0\n',
        'small_py-1.0.0.dist-info/WHEEL': 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
        'small_py-1.0.0.dist-info/entry_points.txt': '[console_scripts]\nsmall-acp = small_py:main\n',
        'small_py-1.0.0.dist-info/RECORD': '',
      });
      const file = mirror.put('/small_py-1.0.0-py3-none-any.whl', wheel);
      mirror.put('/simple/small-py/', (response) => response.setHeader('content-type', 'text/html').end(`<a href="${file}">small</a>`));
      const env = {
        ...process.env,
        PIP_INDEX_URL: `${mirror.url}/simple/`,
        UV_DEFAULT_INDEX: `${mirror.url}/simple/`,
        PIP_CACHE_DIR: `${home}/pip`,
      };
      const agent = await install({ uvx: { package: 'small-py@1.0.0', cmd: 'small-acp' } }, { env });
      assert.equal(agent.source, 'small-py==1.0.0');
      const { command } = definitionOfInstalled(stateFolder, agent);
      assert.equal(spawnSync(command, { encoding: 'utf8' }).stdout.trim(), 'small');
      assert.deepEqual(asked, []);
    });

    it('builds packages only with consent', { skip: !python && 'python3 with its module venv is not installed' }, async () => {
      const ran = path.join(home, 'built');
      const backend = [
        'import os',
        `def get_requires_for_build_wheel(config_settings=None): open(${JSON.stringify(ran)}, "w").close(); return []`,
        'def prepare_metadata_for_build_wheel(*rest): raise SystemExit(1)',
        'def build_wheel(*rest): raise SystemExit(1)',
      ];
      const source = await tarGz({
        'built-py-1.0.0/pyproject.toml': '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
        'built-py-1.0.0/backend.py': backend.join('\n'),
        'built-py-1.0.0/PKG-INFO': 'Metadata-Version: 2.1\nName: built-py\nVersion: 1.0.0\n',
      });
      const file = mirror.put('/built-py-1.0.0.tar.gz', source);
      mirror.put('/simple/built-py/', (response) => response.setHeader('content-type', 'text/html').end(`<a href="${file}">built</a>`));
      const index = `${mirror.url}/simple/`;
      const env = { ...process.env, PIP_INDEX_URL: index, UV_DEFAULT_INDEX: index, PIP_CACHE_DIR: `${home}/pip` };
      const distribution = { uvx: { package: 'built-py@1.0.0' } };
      assert.equal(await reasonOf(install(distribution, { env, consent: () => Promise.resolve(false) })), 'tool_failed');
      assert.equal(existsSync(ran), false);
      // The build itself fails: it is enough that it was begun.
      assert.equal(await reasonOf(install(distribution, { env })), 'tool_failed');
      assert.deepEqual(asked, [{ type: 'builds', package: 'built-py==1.0.0' }]);
      assert.equal(existsSync(ran), true);
    });
  });

  describe('from a download', () => {
    it('unpacks a file with the published hash without a question', async () => {
      const bytes = await tarGz({ './bin/agent': await agentProgram(), 'README.md': 'read me' });
      const agent = await install(binary(mirror.put('/a.tar.gz', bytes), { sha256: sha256(bytes).toUpperCase() }));
      assert.deepEqual(asked, []);
      assert.equal(agent.sha256, sha256(bytes));
      assert.ok(existsSync(definitionOfInstalled(stateFolder, agent).command));
      assert.deepEqual(steps.at(-1), { type: 'unpacking' });
      assert.deepEqual(
        steps.find((step) => step.type === 'downloading'),
        { type: 'downloading', bytes: bytes.length, totalBytes: bytes.length },
      );
    });

    it('unpacks the other archives, and takes a program as it is', async () => {
      const packed = await install(binary(mirror.put('/a.zip', zip({ 'bin/agent': await agentProgram() }))));
      assert.match(await readFile(definitionOfInstalled(stateFolder, packed).command, 'utf8'), /^#!/);
      const other = await install(binary(mirror.put('/a.tar.bz2', Buffer.from(tarBz2, 'base64'))));
      assert.equal(await readFile(definitionOfInstalled(stateFolder, other).command, 'utf8'), '#!/bin/sh\necho hello\n');
      const raw = await install(binary(mirror.put('/agent-linux', Buffer.from(await agentProgram()))));
      assert.match(await readFile(definitionOfInstalled(stateFolder, raw).command, 'utf8'), /^#!/);
    });

    it('asks once about a file without a published hash, and then accepts only the same file', async () => {
      const url = mirror.put('/unverified.tar.gz', await tarGz({ 'bin/agent': 'one' }));
      assert.equal(await reasonOf(install(binary(url), { consent: () => Promise.resolve(false) })), 'cancelled');
      assert.equal(readInstalledAgent(stateFolder, 'small'), undefined);
      const first = await install(binary(url));
      assert.equal(asked.length, 1);
      await install(binary(url));
      assert.equal(asked.length, 1);
      mirror.put('/unverified.tar.gz', await tarGz({ 'bin/agent': 'another' }));
      assert.equal(await reasonOf(install(binary(url))), 'hash_changed');
      assert.equal(readInstalledAgent(stateFolder, 'small')?.sha256, first.sha256);
    });

    it('refuses what is not what the registry describes', async () => {
      const fits = await tarGz({ 'bin/agent': 'x' });
      const hostile = {
        hash_mismatch: binary(mirror.put('/lies.tar.gz', fits), { sha256: '0'.repeat(64) }),
        http_status: binary(`${mirror.url}/gone.tar.gz`),
        archive_damaged: binary(mirror.put('/damaged.tar.gz', Buffer.from('no archive'))),
        no_program: binary(mirror.put('/empty.tar.gz', await tarGz({ 'bin/other': 'x' }))),
        unsafe_source: binary(
          mirror.put('/moved.tar.gz', (response) => response.writeHead(302, { location: 'http://example.com/x' }).end()),
        ),
        redirects: binary(mirror.put('/loop.tar.gz', (response) => response.writeHead(302, { location: '/loop.tar.gz' }).end())),
      };
      for (const [reason, distribution] of Object.entries(hostile)) assert.equal(await reasonOf(install(distribution)), reason);
      assert.deepEqual(await versionsOnDisk(), []);
    });

    it('refuses archives that reach out of their folder', async () => {
      const outside = path.join(stateFolder, 'outside');
      const archives = [
        await tarGz({ '../../../../outside': 'x' }),
        await tarGz({ [outside]: 'x' }),
        await tarGz({ 'bin/agent': 'x', 'bin/..\\..\\outside': 'x' }),
        await tarGz({ 'link/outside': 'x' }, { link: stateFolder }),
        await tarGz({ 'bin/agent': 'x' }, { 'bin/other': 'agent' }),
        await tarGz({ 'bin/agent': 'x' }, { 'bin/other': `${stateFolder}/agents/small/lock.json` }, 'link'),
      ];
      for (const [index, bytes] of archives.entries())
        assert.equal(await reasonOf(install(binary(mirror.put(`/slip${index}.tar.gz`, bytes)))), 'archive_unsafe', `${index}`);
      // The library for zip refuses paths itself.
      const zips = [zip({ '../../../../outside': 'x' }), zip({ [outside]: 'x' }), zip({ 'bin/link': { link: outside } })];
      for (const [index, bytes] of zips.entries())
        assert.match(
          String(await reasonOf(install(binary(mirror.put(`/slip${index}.zip`, bytes))))),
          /^archive_(unsafe|damaged)$/,
          `${index}`,
        );
      assert.equal(existsSync(outside), false);
      assert.deepEqual(await versionsOnDisk(), []);
    });

    it('bounds the download and what is unpacked', async () => {
      const bomb = await tarGz({ 'bin/agent': Buffer.alloc(4_000_000) });
      const limits = { ...defaultInstallLimits, unpackedBytes: 1_000_000 };
      assert.equal(await reasonOf(install(binary(mirror.put('/bomb.tar.gz', bomb)), { limits })), 'archive_too_large');
      const many = await tarGz(Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}`, ''])));
      const few = { ...defaultInstallLimits, entries: 40 };
      assert.equal(await reasonOf(install(binary(mirror.put('/many.tar.gz', many)), { limits: few })), 'archive_too_large');
      const endless = mirror.put('/endless.tar.gz', (response) => {
        const write = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        };
        response.on('drain', write);
        write();
      });
      const small = { ...defaultInstallLimits, downloadBytes: 1_000_000 };
      assert.equal(await reasonOf(install(binary(endless), { limits: small })), 'too_large');
      const said = mirror.put('/said.tar.gz', (response) => void response.writeHead(200, { 'content-length': '2000000' }).flushHeaders());
      assert.equal(await reasonOf(install(binary(said), { limits: small })), 'too_large');
      assert.deepEqual(await versionsOnDisk(), []);
    });

    it('gives up on a server that says nothing, and stops at once when it is canceled', async () => {
      const silent = mirror.put('/silent.tar.gz', (response) => void response.writeHead(200).flushHeaders());
      assert.equal(await reasonOf(install(binary(silent), { limits: { ...defaultInstallLimits, silenceMs: 50 } })), 'no_answer');
      const cancel = new AbortController();
      const begun = mirror.put('/begun.tar.gz', (response) => void response.write('x'));
      const canceled = install(binary(begun), { signal: cancel.signal, onStep: () => cancel.abort() });
      assert.equal(await reasonOf(canceled), 'cancelled');
      assert.deepEqual(await versionsOnDisk(), []);
    });

    it('without a network, the old version stays usable', async () => {
      const url = mirror.put('/kept.tar.gz', await tarGz({ 'bin/agent': 'x' }));
      const old = await install(binary(url));
      assert.equal(await reasonOf(install(binary('http://127.0.0.1:1/x.tar.gz'), { version: '2.0.0' })), 'unreachable');
      assert.deepEqual(readInstalledAgent(stateFolder, 'small'), old);
      assert.ok(existsSync(definitionOfInstalled(stateFolder, old).command));
    });
  });

  it('on a full disk, the old version stays usable, and nothing of the new one stays', {
    skip: !canMount() && 'no disk can be mounted',
  }, async (t) => {
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', stateFolder]);
    t.after(() => spawnSync('umount', ['-l', stateFolder]));
    assert.equal(mounted.status, 0);
    const url = mirror.put('/fits.tar.gz', await tarGz({ 'bin/agent': 'x' }));
    const old = await install(binary(url));
    const tooLarge = {
      'while it is downloaded': { 'bin/agent': randomBytes(4_000_000) },
      'while it is unpacked': { 'bin/agent': 'x', data: Buffer.alloc(4_000_000) },
    };
    for (const [when, files] of Object.entries(tooLarge)) {
      const larger = mirror.put('/larger.tar.gz', await tarGz(files));
      const { code, params } = await failure(install(binary(larger), { version: '2.0.0' }));
      assert.deepEqual([code, params.reason], ['install_failed', 'disk'], when);
      assert.deepEqual([params.path, params['systemCode']], [stateFolder, 'ENOSPC'], when);
      assert.deepEqual(readInstalledAgent(stateFolder, 'small'), old, when);
      assert.ok(existsSync(definitionOfInstalled(stateFolder, old).command), when);
      assert.deepEqual(await versionsOnDisk(), ['1.0.0'], when);
    }
    await install(binary(url), { version: '3.0.0' });
  });

  it('while another process installs it, the second one says which process that is', async () => {
    const url = mirror.put('/other.tar.gz', await tarGz({ 'bin/agent': 'x' }));
    const lock = path.join(stateFolder, 'agents/small/lock.json');
    // Holds the lock until its input ends.
    const script = `import { takeInstallLock } from ${JSON.stringify(new URL('../../../src/core/registry/installAgent.ts', import.meta.url).href)};
      const lock = await takeInstallLock(process.argv[1]);
      console.log('taken');
      process.stdin.on('end', () => lock.dispose()).resume();`;
    const other = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script, lock], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const ended = once(other, 'exit');
    await once(other.stdout, 'data');
    const { params } = await failure(install(binary(url)));
    assert.deepEqual([params.reason, params.pid], ['busy', other.pid]);
    assert.deepEqual(await versionsOnDisk(), []);
    other.stdin.end();
    await ended;
    await install(binary(url));
  });

  it('keeps the version before the last one, because an agent of it may be running', async () => {
    const url = mirror.put('/versions.tar.gz', await tarGz({ 'bin/agent': 'x' }));
    for (const version of ['1.0.0', '2.0.0', '3.0.0']) await install(binary(url), { version });
    assert.deepEqual((await versionsOnDisk()).toSorted(), ['2.0.0', '3.0.0']);
    assert.equal(readInstalledAgent(stateFolder, 'small')?.version, '3.0.0');
  });

  it('lets one of two at once through, and the other one says so', async () => {
    const url = mirror.put('/twice.tar.gz', await tarGz({ 'bin/agent': 'x' }));
    const results = await Promise.allSettled([install(binary(url)), install(binary(url))]);
    assert.deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    const refused = results.find((one) => one.status === 'rejected');
    assert.equal(toHostError(refused?.reason).params.reason, 'busy');
    assert.equal(readInstalledAgent(stateFolder, 'small')?.version, '1.0.0');
    await install(binary(url));
  });

  it('takes over the lock of a process that died', async () => {
    const url = mirror.put('/locked.tar.gz', await tarGz({ 'bin/agent': 'x' }));
    const lock = path.join(stateFolder, 'agents/small/lock.json');
    createSmallFile(lock, JSON.stringify({ pid: 2 ** 22 + 1, host: (await import('node:os')).hostname() }));
    await install(binary(url));
    assert.equal(existsSync(lock), false);
  });

  it('removes all of it, and a damaged file counts as not installed', async () => {
    const url = mirror.put('/removed.tar.gz', await tarGz({ 'bin/agent': 'x' }));
    await install(binary(url));
    await removeAgent(stateFolder, 'small');
    assert.deepEqual(await readInstalledAgents(stateFolder), []);
    assert.deepEqual(await versionsOnDisk(), []);
    await install(binary(url));
    await writeFile(path.join(stateFolder, 'agents/small/current.json'), '{"schemaVersion":1,"folder":"../../.."');
    assert.deepEqual(await readInstalledAgents(stateFolder), []);
  });
});
