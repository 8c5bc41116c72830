import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Place, runCli, testAgent } from './cliProcess.js';
import { placesOfOneEngine } from './engineOf.js';
import { runHere } from './runHere.js';

const makePlace = placesOfOneEngine();

let place: Place;
before(async () => {
  place = await makePlace({ 'a.txt': 'one\n' });
});
after(() => place.remove());

const demo = (prompt: string): readonly string[] => ['run', '--agent', 'demo', prompt];

describe('the exit code', () => {
  const cases: readonly {
    readonly name: string;
    readonly args: () => readonly string[];
    readonly code: number;
    readonly stderr?: RegExp;
    readonly stdout?: RegExp;
    readonly env?: NodeJS.ProcessEnv;
  }[] = [
    { name: '0 when the turn ended', args: () => demo('list'), code: 0, stdout: /a\.txt/ },
    { name: '0 for help', args: () => ['--help'], code: 0, stdout: /Exit codes/ },
    {
      name: '0 for the help of a command',
      args: () => ['show', '--help'],
      code: 0,
      stdout: /^Usage: acp-host show \[options\] ID\n.*--state/s,
    },
    {
      name: '0 for the help of a command without options',
      args: () => ['remove', '--help'],
      code: 0,
      stdout: /^Usage: acp-host remove NAME\n(?!.*\bOptions:)/s,
    },
    { name: '0 for the version', args: () => ['--version'], code: 0, stdout: /^\d+\.\d+\.\d+\n$/ },
    { name: '1 when the agent answers the turn with an error', args: () => demo('fail'), code: 1, stderr: /because you asked it to/ },
    {
      name: '2 without a command',
      args: () => [],
      code: 2,
      stderr:
        /run, chat, attach, status, stop, changes, undo, sessions, show, agents, install, update, remove, doctor, login, serve, engine, replay/,
    },
    { name: '0 for help about a command', args: () => ['help', 'show'], code: 0, stdout: /^Usage: acp-host show / },
    { name: '2 for an unknown command', args: () => ['walk'], code: 2, stderr: /"walk".*acp-host run "walk"\?\n/ },
    { name: '2 for help about none', args: () => ['help', 'walk'], code: 2, stderr: /"walk"/ },
    { name: '2 for a command with a typing error', args: () => ['sttaus'], code: 2, stderr: /mean: acp-host status\?\n/ },
    { name: '2 for the beginning of a command', args: () => ['sess'], code: 2, stderr: /mean: acp-host sessions\?\n/ },
    { name: '2 for the beginning of an option', args: () => ['run', '--per', 'x'], code: 2, stderr: /mean: --permission\?\n/ },
    {
      name: '2 for an option with a typing error',
      args: () => ['run', '--agnt=demo', 'hi'],
      code: 2,
      stderr: /'--agnt'. Did you mean: --agent\?\n/,
    },
    { name: '2 for words to find', args: () => ['sessions', 'flaky', 'test'], code: 2, stderr: /mean: --search "flaky test"\?\n/ },
    {
      name: '2 for words to find without quotes',
      args: () => ['sessions', '--search', 'flaky', 'test'],
      code: 2,
      stderr: /not "test"\. Did you mean: --search "flaky test"\?\n/,
    },
    {
      name: '2 for an agent without its option',
      args: () => ['doctor', 'pi'],
      code: 2,
      stderr: /not "pi"\. Did you mean: --agent "pi"\?\n/,
    },
    { name: '2 for a word after status', args: () => ['status', '0b1e'], code: 2, stderr: /status takes only options, not "0b1e"\n/ },
    { name: '2 for --json', args: () => ['status', '--json'], code: 2, stderr: /'--json'. Did you mean: --format json\?\n/ },
    {
      name: '2 for an option with two letters swapped',
      args: () => ['run', '--agnet', 'demo', 'hi'],
      code: 2,
      stderr: /mean: --agent\?\n/,
    },
    { name: '2 for a command with two letters swapped', args: () => ['stauts'], code: 2, stderr: /mean: acp-host status\?\n/ },
    {
      name: '2 for an option before the command',
      args: () => ['--agent', 'demo', 'run', 'hi'],
      code: 2,
      stderr: /Options follow the command, for example acp-host run --agent\n/,
    },
    { name: '2 for an unknown option', args: () => ['run', '--nonsense', 'hi'], code: 2, stderr: /--nonsense'\. Put a prompt/ },
    {
      name: '2 without a word about prompts where there are none',
      args: () => ['agents', '--xyz'],
      code: 2,
      stderr: /'--xyz'\nTry: acp-host agents --help\n/,
    },
    {
      name: '2 for a value that looks like an option',
      args: () => [...demo('hi'), '--answer', '-5'],
      code: 2,
      stderr: /as --answer=VALUE\n/,
    },
    { name: '2 for an empty folder to work in', args: () => [...demo('hi'), '--cwd', ''], code: 2, stderr: /--cwd must be the name/ },
    { name: '2 for an empty folder for saved sessions', args: () => ['sessions', '--state='], code: 2, stderr: /--state must be the name/ },
    { name: '2 for a wrong value', args: () => ['run', '--permission', 'maybe', 'hi'], code: 2, stderr: /ask, allow, reject/ },
    { name: '2 without a prompt', args: () => ['run'], code: 2, stderr: /No prompt specified/ },
    { name: '2 for an empty prompt on stdin', args: () => demo('-'), code: 2, stderr: /empty/ },
    { name: '2 for an agent that does not exist', args: () => ['run', '--agent', 'nobody', 'hi'], code: 2, stderr: /agentao, demo/ },
    {
      name: '2 for the name of an agent with a typing error',
      args: () => ['run', '--agent', 'dmeo', 'hi'],
      code: 2,
      stderr: /mean: demo\?\n/,
    },
    { name: '2 for a quote that is not closed', args: () => ['run', '--command', '"x', 'hi'], code: 2, stderr: /unclosed/ },
    { name: '2 for a chat without a terminal', args: () => ['chat', '--agent', 'demo'], code: 2, stderr: /needs a terminal/ },
    { name: '2 for a session that is not saved', args: () => ['show', 'unheard-of'], code: 2, stderr: /"unheard-of"/ },
    { name: '2 for a folder that does not exist', args: () => [...demo('hi'), '--cwd', 'nowhere'], code: 2, stderr: /nowhere/ },
    {
      name: '2 for another folder that does not exist',
      args: () => [...demo('hi'), '--add-dir', 'nowhere'],
      code: 2,
      stderr: /--add-dir is not .*nowhere/,
    },
    {
      name: '2 for another folder without a name',
      args: () => [...demo('hi'), '--add-dir', ''],
      code: 2,
      stderr: /--add-dir must be the name/,
    },
    { name: '2 for a mode that is not offered', args: () => [...demo('hi'), '--mode', 'wild'], code: 2, stderr: /ask, auto, read-only/ },
    { name: '2 for a model where there is no choice', args: () => [...demo('hi'), '--model', 'big'], code: 2, stderr: /model/ },
    {
      name: '3 when the program is not found',
      args: () => ['run', '--command', 'no-such-agent --acp', 'hi'],
      code: 3,
      stderr: /no-such-agent/,
    },
    {
      name: '3 when the file is not a program',
      args: () => ['run', '--command', `"${place.workspace}/a.txt" --acp`, 'hi'],
      code: 3,
      stderr: /^error: ".*a\.txt" doesn't exist, or is not an executable file\n {2}Check the path, and the permissions of the file\.\n$/,
    },
    {
      name: '3 when it ends before the handshake',
      args: () => ['run', '--command', `"${process.execPath}" -e 0`, 'hi'],
      code: 3,
      stderr: /before it responded/,
    },
    { name: '3 for a version that we do not speak', args: () => ['run', ...testAgent('onlyNewerVersion'), 'hi'], code: 3, stderr: /99/ },
    {
      name: '3 for a session that the agent does not know',
      args: () => [...demo('hi'), '--session', 'unheard-of'],
      code: 3,
      stderr: /session/i,
    },
    {
      name: '3 when there is no session to continue',
      args: () => ['run', '--continue', '--command', 'never-used', 'hi'],
      code: 3,
      stderr: /No saved session to resume/,
    },
    {
      name: '4 when the agent wants a sign-in for a session',
      args: () => ['run', ...testAgent('obedient'), 'say hi'],
      code: 4,
      stderr: /Sign in/,
      env: { OBEDIENT_SIGNED_OUT: '1' },
    },
    { name: '4 when the agent wants a sign-in in a turn', args: () => demo('fail auth'), code: 4, stderr: /sign/i },
    { name: '5 for a refusal', args: () => demo('fail refusal'), code: 5, stderr: /refused/ },
    { name: '5 for a limit of tokens', args: () => demo('fail limit'), code: 5, stderr: /token limit/ },
    { name: '5 for a limit of requests', args: () => demo('fail requests'), code: 5, stderr: /limit of steps/ },
    {
      name: '6 when the agent dies in the turn',
      args: () => demo('fail crash'),
      code: 6,
      stderr: /crashing because the user asked/,
      stdout: /Now I crash/,
    },
  ];

  for (const { name, args, code, stdout, stderr, env } of cases) {
    test(name, async () => {
      // Most are refused before anything begins; that a process ends with the code of its command is seen in the others.
      const result = await (code === 2 ? runHere : runCli)(place, args(), env && { env });
      assert.equal(result.code, code, result.stderr);
      if (stdout) assert.match(result.stdout, stdout);
      else if (code > 1 && code !== 5) assert.doesNotMatch(result.stdout, /error|usage/i, 'stdout carries nothing but the answer');
      if (stderr) assert.match(result.stderr, stderr);
    });
  }
});
