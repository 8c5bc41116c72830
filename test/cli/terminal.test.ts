/** What users see and type at a terminal. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { CliProcess, noTerminal, type Place, testAgent } from './cliProcess.js';
import { placesOfOneEngine } from './engineOf.js';

const makePlace = placesOfOneEngine();

let place: Place;
beforeEach(async () => {
  place = await makePlace({ 'a.txt': 'one\n' });
});
afterEach(() => place.remove());

const file = (): Promise<string> => readFile(path.join(place.workspace, 'a.txt'), 'utf8');
const open = (args: readonly string[], env: NodeJS.ProcessEnv = {}): CliProcess =>
  new CliProcess(place, ['run', ...args], { TERM: 'xterm', ...env }, { terminal: true });
const prompts = (text: string): number => text.split(/Enter to (?:cancel|reject once)/).length - 1;

describe('in a terminal', { skip: noTerminal() ?? false }, () => {
  test('a permission is shown with its diff, and a number decides', async () => {
    const cli = open(['--agent', 'demo', 'edit a.txt one => two'], { NO_COLOR: '1' });
    await cli.until('question', (text) => prompts(text) === 1);
    cli.child.stdin.write('9\n');
    await cli.until('second question', (text) => prompts(text) === 2);
    cli.child.stdin.write('1\n');
    const { code, stdout } = await cli.ended();
    assert.equal(code, 0, stdout);
    assert.equal(await file(), 'two\n');
    assert.match(stdout, /asks for permission: Edit a\.txt\?\r\n {2}│ a\.txt\r\n {2}│ 1 -one\r\n {2}│ 1 \+two\r\n {2}1 {2}Allow once\r\n/);
    assert.match(stdout, /Not a valid choice/);
    assert.doesNotMatch(stdout, /\x1b\[/, 'NO_COLOR');
  });

  test('Enter alone means no, and the prompt says so', async () => {
    const cli = open(['--agent', 'demo', 'edit a.txt one => two']);
    await cli.until('question', (text) => prompts(text) === 1);
    cli.child.stdin.write('\n');
    const { stdout } = await cli.ended();
    assert.equal(await file(), 'one\n');
    assert.match(stdout, /Enter to reject once/);
    assert.doesNotMatch(stdout, /closed without an answer/);
    assert.match(stdout, /\x1b\[1m/, 'colors');
  });

  test('several options are chosen by their numbers', async () => {
    const cli = open(['--agent', 'demo', 'ask many']);
    await cli.until('question', (text) => prompts(text) === 1);
    cli.child.stdin.write('1, 3\n');
    assert.match((await cli.ended()).stdout, /You answered: \*\*Water, Coffee\*\*/);
  });

  test('a free-text answer is typed', async () => {
    const cli = open(['--agent', 'demo', 'ask']);
    await cli.until('question', (text) => prompts(text) === 1);
    cli.child.stdin.write('my own words\n');
    assert.match((await cli.ended()).stdout, /You answered: \*\*my own words\*\*/);
  });

  test('Ctrl+C cancels, also during a question', async () => {
    const cli = open(['--agent', 'demo', 'ask']);
    await cli.until('question', (text) => prompts(text) === 1);
    cli.child.stdin.write('\x03');
    const { code, stdout } = await cli.ended();
    assert.equal(code, 130);
    assert.match(stdout, /The turn was canceled/);
  });

  test('agent output cannot control the terminal, and a request hides nothing', async () => {
    const cli = open([...testAgent('steersTerminal'), 'ask'], { NO_COLOR: '1' });
    await cli.until('question', (text) => prompts(text) === 1);
    cli.child.stdin.write('3\n');
    const { stdout } = await cli.ended();
    assert.doesNotMatch(stdout.replaceAll('\r\n', '\n'), /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
    assert.match(stdout, /answer red {2}bell c1 overwriteend/);
    assert.match(stdout, /\r\n {2}│ \$ rm <U\+202E>red<U\+001B>\[31m/);
  });

  test('input typed before the request was visible does not answer it, complete or not', async () => {
    const cli = open(['--agent', 'demo', 'edit a.txt one => two']);
    cli.child.stdin.write('1\n1');
    await cli.until('question', (text) => text.includes('Allow once'));
    cli.child.stdin.write('1\n');
    await cli.until('prompt', (text) => prompts(text) === 1);
    cli.child.stdin.write('\n');
    const { stdout } = await cli.ended();
    assert.equal(await file(), 'one\n', stdout);
    assert.match(stdout, /Not done: /);
  });

  test('one burst of keys does not answer two requests', async () => {
    const cli = open([...testAgent('asksTwice'), 'go']);
    await cli.until('question', (text) => prompts(text) === 1);
    cli.child.stdin.write('1\n1\n');
    await cli.until('second question', (text) => prompts(text) === 2);
    cli.child.stdin.write('3\n');
    assert.match((await cli.ended()).stdout, /decided: yes, no\./);
  });

  test('Ctrl+C works right after a request has appeared', async () => {
    const cli = open(['--agent', 'demo', 'edit a.txt one => two']);
    await cli.until('request', (text) => text.includes('Allow once'));
    cli.child.stdin.write('\x03');
    assert.equal((await cli.ended()).code, 130);
    assert.equal(await file(), 'one\n');
  });

  test('--ask-timeout closes a request without an answer, and says so', async () => {
    const cli = open(['--agent', 'demo', '--ask-timeout', '0.8', 'edit a.txt one => two']);
    const { code, stdout } = await cli.ended();
    assert.equal(code, 0, stdout);
    assert.equal(await file(), 'one\n');
    assert.match(stdout, /Enter to reject once, automatic after 0\.8 s/);
    assert.match(stdout, /No answer in time: the request was rejected/);
  });

  test('a permission of an agent that has ended says so', async () => {
    const cli = open([...testAgent('diesWhileItAsks'), 'go']);
    const { code, stdout } = await cli.ended();
    assert.equal(code, 6, stdout);
    assert.match(stdout, /can no longer be answered: the agent exited/);
  });
});
