/** The options of a command line that specify the agent and how to reach it. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parrotAgent } from '../backends/addParrot.js';
import { parseArguments } from '../../src/cli/arguments/parseArguments.js';
import { toCliError } from '../../src/cli/output/errorText.js';
import { toHostError } from '../../src/core/index.js';
import { typescriptProgram } from '../typescriptProgram.js';
import { type CliResult, makePlace, type Place, runCli } from './cliProcess.js';

const pin = `sha256/${'A'.repeat(43)}=`;
const server = ['--protocol', 'parrot-server', '--url', 'ws://127.0.0.1:8080/parrot'];
const key = 'not-a-known-shape';

describe('conflicting options are reported in words', () => {
  const cases: readonly (readonly [args: readonly string[], words: RegExp])[] = [
    [['--agent', 'demo', '--url', 'wss://a'], /^--agent and --url cannot be used together$/],
    [['--agent', 'demo', '--protocol', 'acp'], /^--agent and --protocol cannot be used together$/],
    [['--command', 'a', '--url', 'wss://a', '--protocol', 'acp'], /^--command and --url cannot be used together$/],
    [['--command', 'a', '--protocol', 'klingon'], /^--protocol must be one of acp,.* parrot, parrot-server, not "klingon"$/],
    [['--command', 'a', '--protocol', 'parrot-server'], /^Agents that speak parrot-server are servers\. Use --url instead of --command$/],
    [['--url', 'wss://a', '--protocol', 'parrot'], /^Agents that speak parrot are programs\. Use --command instead of --url$/],
    [['--url', 'wss://a'], /^--url requires --protocol\. Protocols of servers: .*parrot-server$/],
    [['--protocol', 'parrot'], /^--protocol requires --command$/],
    [['--protocol', 'parrot-server'], /^--protocol requires --url$/],
    [['--command', 'a', '--key-env', 'KEY'], /^--key-env requires --url$/],
    [['--pin', pin], /^--pin requires --url$/],
    [[...server, '--pin', pin], /^--pin requires a wss:\/\/ URL$/],
    [['--protocol', 'parrot-server', '--url', 'wss://a', '--pin', 'sha256/short'], /^A pin is "sha256\/" followed by/],
    [['--protocol', 'parrot-server', '--url', 'https://a'], /^The URL of a server must start with ws:\/\/ or wss:\/\/$/],
    [['--protocol', 'parrot-server', '--url', 'wss://me:secret@a'], /^The URL contains a key or a password\. Leave it out/],
    [['--protocol', 'parrot-server', '--url', 'wss://a/?api_key=secret'], /^The URL contains a key or a password\. Leave it out/],
    [['--protocol', 'parrot-server', '--url', 'ws://example.com/'], /^--url with ws:\/\/ is limited to this machine/],
  ];
  for (const [args, words] of cases)
    test(args.join(' '), () => {
      for (const command of [['run', 'hi'], ['chat'], ['doctor'], ['login']])
        assert.throws(
          () => parseArguments([...command, ...args], 'linux'),
          (thrown) => {
            const { code, message } = toCliError(toHostError(thrown).toData());
            assert.equal(code, 'usage');
            assert.match(message, words);
            assert.doesNotMatch(message, /secret/);
            return true;
          },
        );
    });
});

describe('an agent of another protocol', () => {
  const program = typescriptProgram(fileURLToPath(new URL('../backends/parrotMain.ts', import.meta.url)));
  const cli = (place: Place, args: readonly string[], env: Record<string, string> = {}): Promise<CliResult> =>
    runCli({ ...place, env: { ...place.env, ...env } }, args, { program });
  const parrot = ['--protocol', 'parrot', '--command', [parrotAgent.command, ...parrotAgent.args].map((word) => `"${word}"`).join(' ')];

  test('a program answers, is saved, and is started by --continue', async (t) => {
    const place = await makePlace();
    t.after(() => place.remove());
    const first = await cli(place, ['run', ...parrot, 'hello there']);
    assert.deepEqual([first.code, /hello there/.test(first.stdout)], [0, true], first.stderr);
    const next = await cli(place, ['run', '--continue', '--recover', 'context', 'more']);
    assert.equal(next.code, 0, next.stderr);
    assert.match(next.stdout, /more/);
  });

  test('a server gets the key from the variable, and the key appears nowhere', async (t) => {
    const place = await makePlace();
    t.after(() => place.remove());
    const { code, stdout, stderr } = await cli(place, ['run', ...server, '--key-env', 'NAME_OF_IT', 'key'], { NAME_OF_IT: key });
    assert.equal(code, 0, stderr);
    assert.match(stdout, new RegExp(key), 'what the agent says is shown as it is');
    const state = place.env['ACP_HOST_STATE'] ?? '';
    const files = (await readdir(state, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const saved = (await Promise.all(files.map((file) => readFile(path.join(file.parentPath, file.name), 'utf8')))).join('\n');
    assert.match(saved, /ws:\/\/127\.0\.0\.1:8080\/parrot/);
    assert.doesNotMatch(saved, new RegExp(key));
    const again = await cli(place, ['run', '--continue', '--recover', 'fresh', 'key']);
    assert.match(again.stdout, /none/, 'the key is specified each time');
  });

  test('a server whose key variable is not set exits with 2 without a connection', async (t) => {
    const place = await makePlace();
    t.after(() => place.remove());
    for (const command of [['run', 'hi'], ['chat', '--format', 'json'], ['doctor']]) {
      const { code, stdout, stderr } = await cli(place, [...command, ...server, '--key-env', 'NAME_OF_IT'], { NAME_OF_IT: ' ' });
      assert.equal(code, 2);
      assert.match(stdout + stderr, /The environment variable NAME_OF_IT of --key-env is not set/);
    }
  });

  test('the doctor names a server without a PATH check, and reports one that cannot be reached', async (t) => {
    const place = await makePlace();
    t.after(() => place.remove());
    const { code, stdout } = await cli(place, ['doctor', ...server]);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /✓ 127\.0\.0\.1:8080 is a server that speaks parrot-server\n {4}ws:\/\/127\.0\.0\.1:8080\/parrot\n/);
    assert.doesNotMatch(stdout, /PATH|shell|Tools/);
    const gone = await cli(place, ['doctor', '--protocol', 'parrot-server', '--url', 'ws://127.0.0.1:1/']);
    assert.equal(gone.code, 1);
    const run = await cli(place, ['run', '--protocol', 'parrot-server', '--url', 'ws://127.0.0.1:1/', 'hi']);
    assert.deepEqual([run.code, /nobody is there\n {2}Check that the server is running/.test(run.stderr)], [3, true], run.stderr);
    assert.match(gone.stdout, /nobody is there\n {4}→ Check that the server is running/);
  });
});
