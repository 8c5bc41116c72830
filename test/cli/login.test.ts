/** Signing in from the command line. */
import assert from 'node:assert/strict';
import { watch } from 'node:fs/promises';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { CliProcess, noTerminal, type Place, testAgent } from './cliProcess.js';
import { placesOfOneEngine } from './engineOf.js';
import { descendants, survivors } from '../real/processes.js';
import { cliProgram } from './programs.js';
import { runHere } from './runHere.js';

const makePlace = placesOfOneEngine();
let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const key = 'a-key-of-some-length';
const agent = (ways: string): readonly string[] => {
  const [option = '', command = ''] = testAgent('wantsKey');
  return [option, `${command} --ways=${ways}`];
};
const login = (
  ways: string,
  args: readonly string[] = [],
  o: { readonly stdin?: string; readonly env?: NodeJS.ProcessEnv } = {},
): ReturnType<typeof runHere> => runHere(place, ['login', ...agent(ways), ...args], o);

describe('a run', () => {
  test('it signs in automatically if exactly one method accepts a key from the environment', async () => {
    const { code, stdout } = await runHere(place, ['run', ...agent('key,browser'), 'hi'], { env: { WANTED_API_KEY: key } });
    assert.equal(code, 0);
    assert.equal(stdout, 'signed in by key\n');
  });

  test('it reports why that key was refused, without the key', async () => {
    const { code, stderr } = await runHere(place, ['run', ...agent('key'), 'hi'], { env: { WANTED_API_KEY: 'wrong-key-of-some-length' } });
    assert.equal(code, 0, stderr);
    const refused = await runHere(place, ['run', ...agent('key'), 'hi'], { env: { WANTED_API_KEY: 'wrong' } });
    assert.equal(refused.code, 4);
    assert.match(refused.stderr, /was refused/);
  });

  test('otherwise it refers to acp-host login and lists the methods', async () => {
    const { code, stderr } = await runHere(place, ['run', ...agent('key,terminal,browser'), 'hi']);
    assert.equal(code, 4);
    assert.match(stderr, /Sign in with: acp-host login --command ".*wantsKey\.mjs/);
    assert.match(stderr, /1 {2}API Key \(api-key\): takes WANTED_API_KEY, which is not set\n/);
    assert.match(stderr, /2 {2}Wizard \(wizard\): runs WHO=me WIZARD_TOKEN=\[redacted\] .*node/);
    assert.match(stderr, /3 {2}Browser \(browser\): opens a page\n/);
  });
});

describe('login', () => {
  test('it reads the key from the environment and reports success', async () => {
    const { code, stderr } = await login('key', [], { env: { WANTED_API_KEY: key } });
    assert.equal(code, 0, stderr);
    assert.match(stderr, /Signed in to Wants Key with API Key\.\nIt uses WANTED_API_KEY from the environment/);
  });

  test('it reads the key from stdin, and says if the agent does not save it', async () => {
    const { code, stderr, stdout } = await login('key', [], { stdin: `${key}\n` });
    assert.equal(code, 0, stderr);
    assert.match(stderr, /Signed in to Wants Key with API Key\.\nWants Key does not save the key: set WANTED_API_KEY/);
    assert.ok(!`${stdout}${stderr}`.includes(key));
  });

  test('it checks the result with a new process if the agent reads who is signed in only at its start', async () => {
    const { code, stderr } = await runHere(place, ['login', ...testAgent('knowsItsUserAtStart')]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /Signed in to Late with Browser\.\n$/);
    assert.doesNotMatch(stderr, /error/);
  });

  test('it exits with 4 without a key, and with 4 for a refused key', async () => {
    const without = await login('key');
    assert.equal(without.code, 4);
    assert.match(without.stderr, /No key was specified\. Set WANTED_API_KEY in the environment, or pass the key on stdin/);
    const refused = await login('key', [], { env: { WANTED_API_KEY: 'wrong' } });
    assert.equal(refused.code, 4);
    assert.match(refused.stderr, /was refused/);
  });

  test('it runs a command in the terminal, and the next run is signed in', async () => {
    const { code, stderr } = await login('key,terminal', ['--method', 'wizard']);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /Running: WHO=me WIZARD_TOKEN=\[redacted\] .*node/);
    assert.equal((await runHere(place, ['run', ...agent('terminal'), 'hi'])).stdout, 'signed in as me\n');
  });

  test('it signs out of an agent that supports that', async () => {
    const { code, stderr } = await runHere(place, ['login', ...testAgent('signsOut'), '--sign-out']);
    assert.deepEqual([code, stderr], [0, 'Signed out of Obedient.\n']);
    const cannot = await runHere(place, ['login', ...testAgent('signsOut'), '--sign-out'], { env: { SIGNS_OUT: 'not' } });
    assert.equal(cannot.code, 3);
    assert.match(cannot.stderr, /doesn't support signing out/);
  });

  test('it shows the output of an agent that signs in by itself', async () => {
    const { code, stderr } = await login('browser');
    assert.equal(code, 0, stderr);
    assert.match(stderr, /Open https:\/\/example\.com\/device and enter ABCD/);
  });

  test('it exits with 2 if there are several methods without a choice, or the method is unknown', async () => {
    const several = await login('key,browser');
    assert.equal(several.code, 2);
    assert.match(several.stderr, /1 {2}API Key \(api-key\)[\s\S]*2 {2}Browser \(browser\)[\s\S]*--method ID/);
    const unknown = await login('key', ['--method', 'magic']);
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /does not offer the way to sign in "magic".*api-key/);
  });

  test('an agent without methods needs none if it opens a session; it exits with 3 if the agent does not start', async () => {
    const { code, stderr } = await runHere(place, ['login', ...testAgent('hasModels')]);
    assert.equal(code, 0);
    assert.match(stderr, /needs no sign-in/);
    const unknown = await runHere(place, ['login', ...testAgent('hasModels'), '--method', 'magic']);
    assert.deepEqual([unknown.code, /"magic"\. It offers none\n/.test(unknown.stderr)], [2, true], unknown.stderr);
    assert.equal((await runHere(place, ['login', '--command', 'no-such-agent'])).code, 3);
  });

  for (const [ways, question] of [
    ['terminal,key', 'Your choice (1-2): '],
    ['key', 'WANTED_API_KEY (typing is not shown): '],
  ] as const) {
    const inTerminal = { TERM: 'xterm', NO_COLOR: '1' };

    test(`Ctrl+C at "${question}" ends it`, { skip: noTerminal() ?? false }, async () => {
      const cli = new CliProcess(place, ['login', ...agent(ways)], inTerminal, { terminal: true });
      await cli.until('question', (text) => text.includes(question));
      cli.child.stdin.write('\x031\r');
      const { code, stdout } = await cli.ended();
      assert.equal(code, 130, stdout);
      assert.doesNotMatch(stdout, /Running|No key was specified|error/);
    });

    test(`SIGTERM at "${question}" ends it`, { skip: noTerminal() ?? false }, async () => {
      const start = `process.argv.splice(1, 0, 'cli'); console.log('pid ' + process.pid); import('${pathToFileURL(cliProgram).href}')`;
      const program = ['-e', start, '--'];
      const cli = new CliProcess(place, ['login', ...agent(ways)], inTerminal, { terminal: true, program });
      await cli.until('question', (text) => text.includes(question));
      process.kill(Number(/pid (\d+)/.exec(cli.stdout)?.[1]), 'SIGTERM');
      const { code, stdout } = await cli.ended();
      assert.equal(code, 143, stdout);
      assert.doesNotMatch(stdout, /No key was specified|error/);
    });
  }

  const onSignals = { skip: process.platform === 'win32' && 'a process of Windows is not ended by a signal' };

  test('SIGINT ends it while it waits for a key on stdin', onSignals, async () => {
    const [option, command = ''] = agent('key');
    const changes = watch(place.workspace);
    // `tee` copies the first answer of the agent after it has passed it on.
    const cli = new CliProcess(place, ['login', option ?? '', `/bin/sh -c '${command} | tee answers'`]);
    for await (const { eventType } of changes) if (eventType === 'change') break;
    cli.child.kill('SIGINT');
    const { code, stderr } = await cli.ended();
    assert.deepEqual([code, stderr], [130, '']);
  });

  for (const [signal, exitCode] of [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)
    test(`${signal} also ends the agent's own command and its child processes`, onSignals, async () => {
      const cli = new CliProcess(place, ['login', ...agent('patient')]);
      await cli.until('command', (stdout) => stdout.includes('asks'));
      const family = await descendants('asks');
      assert.equal(family.length, 2);
      cli.child.kill(signal);
      const { code, stderr } = await cli.ended();
      assert.equal(code, exitCode, stderr);
      assert.deepEqual(await survivors(family), []);
      assert.doesNotMatch(stderr, /not signed in/);
    });

  test('it asks for the key in a terminal without showing it', { skip: noTerminal() ?? false }, async () => {
    const cli = new CliProcess(place, ['login', ...agent('browser,key')], { TERM: 'xterm', NO_COLOR: '1' }, { terminal: true });
    await cli.until('choice', (text) => text.includes('Your choice (1-2): '));
    cli.child.stdin.write('2\r');
    await cli.until('key', (text) => text.includes('WANTED_API_KEY (typing is not shown): '));
    cli.child.stdin.write(`${key}\r`);
    const { code, stdout } = await cli.ended();
    assert.equal(code, 0, stdout);
    assert.ok(!stdout.includes(key));
    assert.match(stdout, /Signed in to Wants Key with API Key/);
  });
});
