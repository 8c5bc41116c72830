import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { agentsLine } from '../../src/cli/output/reportSchema.js';
import { type AgentMirror, publishAgent, startAgentMirror, tarGz } from '../standIns/agentMirror.js';
import { CliProcess, type CliResult, makePlace, noTerminal, type Place } from './cliProcess.js';
import { runHere } from './runHere.js';

describe('agents of the registry', () => {
  let place: Place;
  let mirror: AgentMirror;
  before(async () => {
    place = await makePlace();
    mirror = await startAgentMirror(path.join(place.workspace, '..'));
  });
  after(async () => {
    await mirror.close();
    await place.remove();
  });
  beforeEach(async () => {
    await publishAgent(mirror, 'small-agent', '1.0.0');
    await publishAgent(mirror, 'small-agent', '1.1.0');
    list('1.0.0');
  });

  const list = (version: string): void =>
    mirror.list(
      {
        id: 'small',
        name: 'Small agent',
        version,
        description: 'Does what its prompt says',
        license: 'Apache-2.0',
        distribution: { npx: { package: `small-agent@${version}` } },
      },
      { id: 'bad', name: 'Bad', version: '1.0.0', description: '', distribution: { npx: { package: 'bad@latest' } } },
    );
  const acpHost = (...args: readonly string[]): Promise<CliResult> =>
    runHere(place, args, { env: { ...mirror.env, ACP_HOST_REGISTRY: mirror.registryUrl } });
  const listed = async (...args: readonly string[]) =>
    agentsLine.parse(JSON.parse((await acpHost('agents', '--format', 'json', ...args)).stdout));

  it('are installed, used, updated and removed', async () => {
    assert.equal((await listed('--refresh')).available.find(({ id }) => id === 'small')?.version, '1.0.0');
    const installed = await acpHost('install', 'small', '--yes');
    assert.deepEqual(
      [installed.code, installed.stdout],
      [0, 'Installed Small agent 1.0.0. Start it with `acp-host run --agent small`.\n'],
      installed.stderr,
    );
    assert.match(
      installed.stderr,
      /^From: npm, the package small-agent@1\.0\.0\nRuns: npm install[^\n]*\nStarts with: small-agent\nLicense: Apache-2\.0\nDescription: Does/m,
    );
    assert.match(installed.stderr, /^Install Small agent 1\.0\.0\? Yes \(--yes\)$/m);
    const answered = await acpHost('run', '--agent', 'small', 'say it works');
    assert.deepEqual([answered.code, answered.stdout], [0, 'it works\n'], answered.stderr);

    assert.match((await acpHost('update', 'small', '--yes')).stdout, /is the newest version/);
    list('1.1.0');
    const { agents, available } = await listed('--refresh');
    assert.deepEqual(agents.find(({ id }) => id === 'small')?.installed, { version: '1.0.0', update: '1.1.0' });
    assert.deepEqual(available, []);
    assert.match(
      (await acpHost('agents')).stdout,
      /small +installed by ACP Host: 1\.0\.0; 1\.1\.0 is available with `acp-host update small`/,
    );
    assert.match((await acpHost('update', 'small', '--yes')).stdout, /Installed Small agent 1\.1\.0/);
    assert.deepEqual((await listed()).agents.find(({ id }) => id === 'small')?.installed, { version: '1.1.0', update: null });

    assert.equal((await acpHost('remove', 'small')).stdout, 'Removed Small agent 1.1.0.\n');
    const afterwards = await acpHost('run', '--agent', 'small', 'say it works');
    assert.deepEqual([afterwards.code, /Unknown agent "small"/.test(afterwards.stderr)], [2, true]);
  });

  it('are listed with what they are, and bad entries are named', async () => {
    await listed('--refresh');
    const { stdout } = await acpHost('agents');
    assert.match(stdout, /\nAvailable with `acp-host install NAME` \(as of \d{4}-\d\d-\d\d\):\n {2}small +Small agent 1\.0\.0 · npm\n/);
    assert.match(stdout, /Not shown: bad\./);
    assert.deepEqual((await listed()).registry.leftOut, [{ id: 'bad', why: 'not_pinned', detail: 'npx: bad@latest' }]);
  });

  it('say of what they are the adapter, if that program is there', async (t) => {
    const programs = await mkdtemp(path.join(tmpdir(), 'acp-host-programs-'));
    t.after(() => rm(programs, { recursive: true, force: true }));
    await writeFile(path.join(programs, 'claude'), '#!/bin/sh\n', { mode: 0o755 });
    const { stdout } = await runHere(place, ['agents'], { env: { PATH: [programs, process.env['PATH']].join(path.delimiter) } });
    assert.match(stdout, /\n {2}claude-agent-acp +Claude Code [\d.]+ · npm · ACP adapter of Claude Code, which is installed\n/);
    assert.match(stdout, /\n {2}codex-acp +Codex [\d.]+ · npm\n/);
    const { stdout: line } = await runHere(place, ['agents', '--format', 'json'], { env: { PATH: programs } });
    const adapters = agentsLine.parse(JSON.parse(line)).available.filter(({ isMissingAdapter }) => isMissingAdapter);
    assert.deepEqual(
      adapters.map(({ id, needs }) => [id, needs]),
      [['claude-agent-acp', 'npm']],
    );
  });

  it('without a network, the list that ships with ACP Host is shown with its date', async () => {
    const asked = mirror.asked.length;
    const { stdout } = await runHere(place, ['agents'], { env: mirror.env });
    assert.match(stdout, /the ACP registry as of 2026-07-24; --refresh fetches a newer one/);
    assert.match(stdout, /\n {2}cline +Cline 3\.0\.65 · npm\n/);
    assert.equal(mirror.asked.length, asked);
    const gone = await runHere(place, ['install', 'nothing-like-it', '--yes'], { env: { ACP_HOST_REGISTRY: 'http://127.0.0.1:1/' } });
    const proxied = await runHere(place, ['agents', '--refresh'], {
      env: { ACP_HOST_REGISTRY: 'http://127.0.0.1:1/', HTTPS_PROXY: 'http://127.0.0.1:2' },
    });
    assert.match(proxied.stderr, /doesn't use HTTPS_PROXY here/);
    assert.match(gone.stderr, /127\.0\.0\.1:1 can't be reached[^\n]*\. Using the list of 2026-07-24\n/);
    assert.equal(gone.code, 2);
  });

  it('a list that is no list, or comes from elsewhere unencrypted, is refused', async () => {
    mirror.put('/registry.json', Buffer.from('<html>'));
    const html = await acpHost('agents', '--refresh');
    assert.deepEqual([html.code, /is not a list in the format of the ACP registry/.test(html.stderr)], [1, true], html.stderr);
    const plain = await runHere(place, ['agents', '--refresh'], { env: { ACP_HOST_REGISTRY: 'http://example.com/registry.json' } });
    assert.deepEqual([plain.code, /is not an https: address/.test(plain.stderr)], [1, true], plain.stderr);
  });

  it('need consent: nothing is installed without a terminal, without --yes, or without "y"', { skip: noTerminal() }, async () => {
    const refused = await acpHost('install', 'small');
    assert.deepEqual([refused.code, /needs a terminal/.test(refused.stderr)], [2, true]);
    const terminal = new CliProcess(
      place,
      ['install', 'small'],
      { ...mirror.env, ACP_HOST_REGISTRY: mirror.registryUrl },
      { terminal: true },
    );
    await terminal.until('question', (stdout) => stdout.includes('Install Small agent 1.0.0? (y or n)'));
    terminal.child.stdin.write('n\n');
    const { code, stdout } = await terminal.ended();
    assert.deepEqual([code, /Nothing was installed/.test(stdout)], [130, true], stdout);
    assert.equal(mirror.asked.includes('/npm/small-agent/-/9.9.9.tgz'), false);
    assert.equal(
      (await listed()).agents.some(({ id }) => id === 'small'),
      false,
    );
  });

  it('are named in errors, with exit codes', async () => {
    const unknown = await acpHost('install', 'nobody');
    assert.deepEqual([unknown.code, /The registry has no agent "nobody"/.test(unknown.stderr)], [2, true]);
    const typo = await acpHost('install', 'smal');
    assert.deepEqual([typo.code, /no agent "smal"\. Did you mean: small\?/.test(typo.stderr)], [2, true], typo.stderr);
    const notInstalled = await acpHost('update', 'small');
    assert.deepEqual([notInstalled.code, /did not install an agent "small"/.test(notInstalled.stderr)], [2, true]);
    assert.equal((await acpHost('remove', 'small')).code, 2);
    mirror.list({
      id: 'small',
      name: 'Small agent',
      version: '3.0.0',
      description: 'x',
      distribution: { npx: { package: 'small-agent@3.0.0' } },
    });
    const gone = await acpHost('install', 'small', '--yes');
    assert.deepEqual([gone.code, /npm failed \(exit code 1\): [^]*3\.0\.0/.test(gone.stderr)], [1, true], gone.stderr);
  });

  it('are refused before the user is asked, where nothing can be written', async () => {
    const env = { ...mirror.env, ACP_HOST_REGISTRY: mirror.registryUrl, ACP_HOST_STATE: '/dev/null/state' };
    const { code, stderr } = await runHere(place, ['install', 'small'], { env });
    assert.deepEqual([code, stderr], [1, 'acp-host: Writing to the disk failed: the path is not a folder (/dev/null/state)\n']);
  });

  it('are updated only with the newest list, and only if that still has them', async () => {
    assert.equal((await acpHost('install', 'small', '--yes')).code, 0);
    const offline = await runHere(place, ['update', 'small', '--yes'], {
      env: { ...mirror.env, ACP_HOST_REGISTRY: 'http://127.0.0.1:1/' },
    });
    assert.deepEqual([offline.code, offline.stdout, /can't be reached/.test(offline.stderr)], [1, '', true], offline.stderr);
    mirror.list();
    const withdrawn = await acpHost('update', 'small', '--yes');
    assert.deepEqual([withdrawn.code, /no longer lists it/.test(withdrawn.stderr)], [1, true], withdrawn.stderr);
    await acpHost('remove', 'small');
  });

  it('Ctrl+C ends an installation, and leaves nothing', async () => {
    mirror.list({ id: 'small', name: 'Small', version: '4.0.0', description: 'x', distribution: { npx: { package: 'stuck@4.0.0' } } });
    const stuck = new Promise<void>((resolve) => mirror.put('/npm/stuck', () => resolve()));
    const installing = new CliProcess(place, ['install', 'small', '--yes'], { ...mirror.env, ACP_HOST_REGISTRY: mirror.registryUrl });
    installing.child.stdin.end();
    await stuck;
    installing.child.kill('SIGINT');
    assert.equal((await installing.ended()).code, 130);
    assert.equal(
      (await listed()).agents.some(({ id }) => id === 'small'),
      false,
    );
  });

  it('on a full disk, the old version stays usable', { skip: process.platform !== 'linux' && 'needs prlimit' }, async () => {
    assert.equal((await acpHost('install', 'small', '--yes')).code, 0);
    list('1.1.0');
    const folder = path.join(place.env['ACP_HOST_STATE'] ?? '', 'agents/small');
    // The list still fits on the disk, and the files of the agent don't.
    const full = new CliProcess(
      place,
      ['update', 'small', '--yes'],
      { ...mirror.env, ACP_HOST_REGISTRY: mirror.registryUrl },
      {
        shell: 'exec prlimit --fsize=3000 "$@"',
      },
    );
    full.child.stdin.end();
    const { code, stderr } = await full.ended();
    assert.deepEqual([code, /npm failed|Writing to the disk failed/.test(stderr)], [1, true], stderr);
    assert.deepEqual((await readdir(folder)).filter((name) => /^\d/.test(name)).length, 1);
    const answered = await acpHost('run', '--agent', 'small', 'say still here');
    assert.deepEqual([answered.code, answered.stdout], [0, 'still here\n'], answered.stderr);
    await acpHost('remove', 'small');
  });

  it('that the user installed count as found, by the name that the list which ships has for their program', async () => {
    const bin = path.join(place.workspace, 'bin');
    await mkdir(bin, { recursive: true });
    for (const name of ['crow-cli', 'goosey', 'cline', 'codebuddy', 'copilot']) {
      await writeFile(path.join(bin, name), '#!/bin/sh\nexit 3\n');
      await chmod(path.join(bin, name), 0o755);
    }
    const archive = mirror.put('/goosey.tar.gz', await tarGz({ goosey: 'x' }));
    const systems = ['linux-x86_64', 'linux-aarch64', 'darwin-aarch64', 'darwin-x86_64'];
    const binary = Object.fromEntries(systems.map((system) => [system, { archive, cmd: './goosey', args: ['-c', 'anything'] }]));
    // A list that was fetched decides nothing about the programs of the user.
    mirror.list(...['goosey', 'crow-cli'].map((id) => ({ id, name: id, version: '1.0.0', distribution: { binary } })));
    await listed('--refresh');
    const env = { ...mirror.env, ACP_HOST_REGISTRY: mirror.registryUrl, PATH: `${bin}:/usr/bin:/bin` };
    const { stdout } = await runHere(place, ['agents', '--format', 'json'], { env });
    const { agents, available } = agentsLine.parse(JSON.parse(stdout));
    const found = agents.find(({ id }) => id === 'crow-cli');
    assert.deepEqual([found?.path, found?.args, found?.default], [path.join(bin, 'crow-cli'), ['acp'], false]);
    const ofPackages = agents.filter(({ id }) => ['cline', 'codebuddy-code', 'github-copilot-cli'].includes(id));
    assert.deepEqual(
      ofPackages.map(({ command, args }) => [command, args[0]]),
      [
        ['cline', '--acp'],
        ['codebuddy', '--acp'],
        ['copilot', '--acp'],
      ],
    );
    assert.deepEqual(
      available.map(({ id }) => id),
      ['goosey'],
    );
    const run = await runHere(place, ['run', '--agent', 'crow-cli', 'hi'], { env });
    assert.deepEqual([run.code, /crow-cli exited before it responded \(exit code 3\)/i.test(run.stderr)], [3, true], run.stderr);
    const ofPackage = await runHere(place, ['run', '--agent', 'codebuddy-code', 'hi'], { env });
    assert.deepEqual([ofPackage.code, /Codebuddy Code exited before/.test(ofPackage.stderr)], [3, true], ofPackage.stderr);
    const other = await runHere(place, ['run', '--agent', 'goosey', 'hi'], { env });
    assert.deepEqual([other.code, /Unknown agent "goosey"/.test(other.stderr)], [2, true], other.stderr);
  });
});
