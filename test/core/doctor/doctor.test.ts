import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { type AgentDefinition, type Examination, examine, type Finding, HostError } from '../../../src/core/index.js';
import { fileURLToPath } from 'node:url';
import { findingText, type FindingText } from '../../../src/text/findingText.js';

const agentsFolder = fileURLToPath(new URL('../../agents/', import.meta.url));
const shellIsPosix = { skip: process.platform === 'win32' ? 'login shells are used on POSIX only' : false };

async function folder(t: TestContext): Promise<string> {
  const made = await realpath(await mkdtemp(path.join(tmpdir(), 'acp-host-doctor-')));
  t.after(() => rm(made, { recursive: true, force: true }));
  return made;
}

function nodeAgent(script: string): AgentDefinition {
  return { id: 'patient', label: 'Patient', command: process.execPath, args: [path.join(agentsFolder, script)], env: {}, protocol: 'acp' };
}

async function examination(
  t: TestContext,
  agent: AgentDefinition,
  o: { readonly env?: NodeJS.ProcessEnv; readonly trusted?: boolean } = {},
): Promise<Examination> {
  const cwd = await folder(t);
  const baseEnv = { PATH: process.env['PATH'], HOME: cwd, SHELL: '/bin/sh', ...o.env };
  return {
    host: { agent, cwd, clientInfo: { name: 'test', title: 'Test', version: '0' }, terminalAuth: false, baseEnv },
    storageDirectory: path.join(cwd, 'kept'),
    ...(o.trusted === undefined ? {} : { trusted: o.trusted }),
  };
}

async function findingsOf(what: Examination): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for await (const finding of examine(what)) findings.push(finding);
  for (const finding of findings) {
    const { title, advice } = findingText(finding, 'terminal');
    if (finding.state === 'problem' || finding.state === 'warning') assert.ok(advice, `no advice: ${title}`);
  }
  return findings;
}

const only = (findings: readonly Finding[], check: Finding['check']): readonly Finding[] =>
  findings.filter((finding) => finding.check === check);

function wordsFor(findings: readonly Finding[], check: Finding['check']): FindingText {
  return findingText(only(findings, check)[0] ?? assert.fail(`no finding of ${check}`), 'terminal');
}

test('a healthy agent is found and responds, and its capabilities are listed', async (t) => {
  const findings = await findingsOf(await examination(t, nodeAgent('obedient.mjs')));
  assert.deepEqual(
    findings.filter(({ state }) => state === 'problem'),
    [],
  );
  assert.equal(only(findings, 'agent')[0]?.state, 'ok');
  assert.match(wordsFor(findings, 'handshake').title, /responded after \d+\.\d s/);
  assert.match(wordsFor(findings, 'capabilities').detail ?? '', /load a session +yes/);
  assert.match(wordsFor(findings, 'tools').detail ?? '', new RegExp(`Node: ${process.version.replaceAll('.', '\\.')}|Node: v`));
  assert.equal(only(findings, 'storage')[0]?.state, 'ok');
});

test('an agent that is not on the PATH is not started, and the finding says where a login shell finds it', shellIsPosix, async (t) => {
  const home = await folder(t);
  const bin = path.join(home, 'bin');
  const shell = path.join(home, 'shell');
  await mkdir(bin);
  await writeFile(path.join(bin, 'hidden-agent'), '#!/bin/sh\n', { mode: 0o755 });
  await writeFile(shell, `#!/bin/sh\nPATH="${bin}:$PATH"\nexport PATH\nwhile [ "$1" != -c ]; do shift; done\nexec /bin/sh -c "$2"\n`, {
    mode: 0o755,
  });
  const agent = { ...nodeAgent('obedient.mjs'), command: 'hidden-agent', args: [] };
  const findings = await findingsOf(await examination(t, agent, { env: { SHELL: shell } }));
  const [found] = only(findings, 'agent');
  assert.equal(found?.state, 'problem');
  assert.ok(found && findingText(found, 'terminal').detail?.includes(path.join(bin, 'hidden-agent')));
  assert.ok(wordsFor(findings, 'path').detail?.includes(bin));
  assert.deepEqual(only(findings, 'handshake'), []);
});

test('start files of the shell that print text cause a warning', shellIsPosix, async (t) => {
  const home = await folder(t);
  const shell = path.join(home, 'shell');
  await writeFile(shell, '#!/bin/sh\necho "Welcome back!"\nwhile [ "$1" != -c ]; do shift; done\nexec /bin/sh -c "$2"\n', { mode: 0o755 });
  const [noisy] = only(await findingsOf(await examination(t, nodeAgent('obedient.mjs'), { env: { SHELL: shell } })), 'shell');
  assert.equal(noisy?.state, 'warning');
  assert.match((noisy && findingText(noisy, 'terminal').detail) ?? '', /Welcome back!/);
});

test('an agent that exits before the handshake is reported with its exit code and its stderr', async (t) => {
  const [failed] = only(
    await findingsOf(
      await examination(t, { ...nodeAgent('obedient.mjs'), args: ['-e', 'console.error("no such option"); process.exit(2)'] }),
    ),
    'handshake',
  );
  assert.equal(failed?.state, 'problem');
  assert.match((failed && findingText(failed, 'terminal').detail) ?? '', /exit code 2/);
  assert.match((failed && findingText(failed, 'terminal').detail) ?? '', /no such option/);
});

test('the agent is not started in an untrusted workspace', async (t) => {
  const findings = await findingsOf(await examination(t, nodeAgent('obedient.mjs'), { trusted: false }));
  assert.equal(only(findings, 'trust')[0]?.state, 'problem');
  assert.deepEqual(only(findings, 'handshake'), []);
});

test('a storage folder that is not writable is reported with its path', async (t) => {
  const what = await examination(t, nodeAgent('obedient.mjs'));
  const file = path.join(what.host.cwd, 'file');
  await writeFile(file, 'in the way');
  const [storage] = only(await findingsOf({ ...what, storageDirectory: file }), 'storage');
  assert.equal(storage?.state, 'problem');
  assert.equal(storage && findingText(storage, 'terminal').detail, `${file}: the path is not a folder`);
});

test('the findings never contain the key of the provider, and report a key without URL and model', async (t) => {
  const secret = 'sk-planted-0123456789abcdef';
  const agentao = { ...nodeAgent('namesItselfAgentao.mjs'), id: 'agentao', label: 'agentao' };
  const stray = await findingsOf(await examination(t, agentao, { env: { OPENAI_API_KEY: secret } }));
  assert.match(wordsFor(stray, 'provider').title, /a key without OPENAI_BASE_URL and OPENAI_MODEL/);
  const whole = await findingsOf(
    await examination(t, agentao, { env: { OPENAI_API_KEY: secret, OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', OPENAI_MODEL: 'm' } }),
  );
  assert.equal(only(whole, 'provider')[0]?.state, 'ok');
  const none = await findingsOf(await examination(t, agentao));
  assert.equal(only(none, 'provider')[0]?.state, 'problem');
  assert.ok(!JSON.stringify([stray, whole, none]).includes(secret));
});

test('the engine is reported: where it runs, that none does, or why it cannot be reached', async (t) => {
  const what = await examination(t, nodeAgent('obedient.mjs'));
  const summary = {
    version: '0',
    pid: 7,
    since: 0,
    location: 'process',
    memoryBytes: 1,
    frontEnds: 1,
    running: 2,
    keepAliveMs: 0,
  } as const;
  const found = async (engine: NonNullable<Examination['engine']>): Promise<Finding | undefined> =>
    only(await findingsOf({ ...what, withoutStart: true, engine }), 'engine')[0];
  const running = await found(() => Promise.resolve(summary));
  assert.ok(running && findingText(running, 'terminal').title === 'The engine runs in process 7');
  assert.match(findingText(running, 'terminal').detail ?? '', /1 window or terminal uses it, and something runs in 2 conversations/);
  assert.equal((await found(() => Promise.resolve(undefined)))?.code, 'engine_not_running');
  const hangs = await found(() => Promise.reject(new HostError('engine_hangs', { pid: 7 })));
  assert.deepEqual([hangs?.state, hangs?.code], ['problem', 'engine_unreachable']);
});
