import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { CliProcess, type Place, testAgent } from './cliProcess.js';
import { placesOfOneEngine } from './engineOf.js';
import { runHere } from './runHere.js';

const makePlace = placesOfOneEngine();
let place: Place;
beforeEach(async () => {
  place = await makePlace({ 'a.txt': 'one\n' });
});
afterEach(() => place.remove());

const ask = (...args: readonly string[]): Promise<{ stdout: string; stderr: string; code: number | null }> =>
  runHere(place, ['run', '--agent', 'demo', ...args]);

describe('--format text', () => {
  test('stdout has the answer as paragraphs; tools and plan are on stderr', async () => {
    const { stdout, stderr } = await ask('plan');
    assert.match(stdout, /^I am the demo agent[^\n]*\n\nThe workspace has 1 file with 4 bytes\.\n\n\| Largest/);
    assert.ok(stdout.endsWith('| 4 |\n'));
    assert.match(stderr, /✓ Find all files\n/);
    assert.match(stderr, /\[x\] Report the largest\n/);
    assert.doesNotMatch(stdout + stderr, /\x1b/);
  });

  test('thoughts are on stderr', async () => {
    const { stdout, stderr } = await ask('think of something');
    assert.match(stderr, /thinking: I have no model/);
    assert.doesNotMatch(stdout, /I have no model, so I do not reason/);
  });

  test('in one file, paragraphs are one empty line apart', async () => {
    const cli = new CliProcess(place, ['run', '--agent', 'demo', 'think of something'], {}, { shell: '"$@" 2>&1' });
    const { stdout } = await cli.ended();
    assert.match(stdout, /lists them\.\nthinking: I have no model[^\n]*\n\nYou gave me/);
  });

  test('only a prompt that is known to hang the agent causes a warning', async () => {
    const agentao = ['run', '--permission', 'reject', ...testAgent('namesItselfAgentao')];
    assert.match((await runHere(place, [...agentao, '-'], { stdin: 'a'.repeat(10_000) })).stderr, /hangs on a run of 10000 characters/);
    assert.doesNotMatch((await runHere(place, [...agentao, '-'], { stdin: 'a b '.repeat(5_000) })).stderr, /hangs on/);
  });

  test('a rejected tool call shows the reason', async () => {
    const { stderr } = await ask('edit a.txt one => two');
    assert.match(stderr, /- Edit a\.txt \(rejected\): Not done: you rejected it\.\n/);
    assert.equal(stderr.match(/Edit a\.txt \(rejected\)/g)?.length, 1);
  });

  test('an empty turn is reported', async () => {
    const { code, stdout, stderr } = await ask('fail silent');
    assert.equal(code, 0);
    assert.equal(stdout, '');
    assert.match(stderr, /without a reply/);
  });

  test('a message after the response that ends the turn is printed once, and counts as a reply', async () => {
    const { code, stdout, stderr } = await runHere(place, ['run', ...testAgent('leavesCallsOpen'), 'afterItsEnd']);
    assert.deepEqual([code, stdout], [0, 'One more thing.\n']);
    const [call, notice, ...rest] = stderr.split('\n');
    assert.equal(call, '- Run it true (no end reported)');
    assert.match(notice ?? '', /^warning: .* ran a command without asking/);
    assert.deepEqual(rest, ['']);
  });

  test('the demo agent in place of agentao is reported', async () => {
    const { stderr } = await runHere(place, ['run', 'list']);
    assert.match(stderr, /agentao was not found/);
    assert.doesNotMatch((await ask('list')).stderr, /was not found/);
  });

  test('a prompt of several words needs no quotes, and - reads it from stdin', async () => {
    assert.match((await ask('read', 'a.txt')).stdout, /1 line and 4 bytes/);
    assert.match((await runHere(place, ['run', '--agent', 'demo', '-'], { stdin: 'read a.txt\n' })).stdout, /1 line and 4 bytes/);
  });

  test('a prompt on stdin may be in UTF-16, as Windows PowerShell writes it, and anything else than text is an error', async () => {
    const said = async (stdin: Uint8Array) => {
      const { code, stdout, stderr } = await runHere(place, ['run', ...testAgent('obedient'), '-'], { stdin });
      return [code, stdout.trim() || stderr.trim()];
    };
    const utf16 = Buffer.from('\ufeffsay grün', 'utf16le');
    assert.deepEqual(await said(utf16), [0, 'grün']);
    assert.deepEqual(await said(Buffer.from(utf16).swap16()), [0, 'grün']);
    assert.deepEqual(await said(Buffer.from('\ufeffsay grün')), [0, 'grün']);
    const [code, error] = await said(Buffer.from('say grün', 'latin1'));
    assert.equal(code, 2);
    assert.match(String(error), /not text in UTF-8/);
  });

  test('tool lines cannot control a terminal, and a pipe gets the answer unchanged', async () => {
    const { stdout, stderr } = await runHere(place, ['run', ...testAgent('steersTerminal'), 'go']);
    assert.match(stdout, /\[31m/);
    assert.doesNotMatch(stderr, /[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
    assert.match(stderr, /✓ tool red bell c1 overwrite/);
  });
});

describe('--mode and --model', () => {
  test('they are set before the turn', async () => {
    assert.match((await ask('--mode', 'read-only', 'mode')).stdout, /\*\*`read-only`\*\* \(now\)/);
    assert.equal((await runHere(place, ['run', ...testAgent('hasModels'), '--model', 'large $(1)', 'which'])).stdout, 'large $(1)\n');
  });

  test('modes of the older form work as well', async () => {
    const { code, stderr } = await runHere(place, ['run', ...testAgent('obedient'), '--mode', 'free', 'say hi']);
    assert.equal(code, 0, stderr);
  });
});

describe('earlier sessions', () => {
  test('--continue resumes the newest session of the folder with its agent, and prints only the new answer', async () => {
    await ask('title The first');
    await runHere(place, ['run', '--agent', 'demo', '--mode', 'read-only', 'title The second']);
    const { code, stdout } = await runHere(place, ['run', '--continue', 'mode']);
    assert.equal(code, 0);
    assert.match(stdout, /^- `ask`/, 'no introduction, no replay');
    assert.match(stdout, /\*\*`read-only`\*\* \(now\)/);
  });

  test('--continue does not use other folders', async () => {
    await ask('list');
    const { code } = await runHere(place, ['run', '--agent', 'demo', '--cwd', '..', '--continue', 'list']);
    assert.equal(code, 3);
  });

  test('--session resumes the session with that id', async () => {
    const first = await runHere(place, ['run', '--agent', 'demo', '--format', 'json', 'list']);
    const id = /"sessionId":"([^"]+)"/.exec(first.stdout)?.[1] ?? '';
    const { code, stdout } = await runHere(place, ['run', '--agent', 'demo', '--session', id, '--format', 'json', 'usage']);
    assert.equal(code, 0);
    assert.match(stdout, /"how":"loaded"/);
    assert.doesNotMatch(stdout, /I am the demo agent/, 'the replay is not told again');
  });
});

test('a thought in the middle of a sentence does not break the answer', async () => {
  const { stdout, stderr } = await runHere(place, ['run', ...testAgent('thinksInBetween'), 'go']);
  assert.equal(stdout, 'So it is.\n');
  assert.equal(stderr, 'thinking: hm\nthinking: hm\n');
});
