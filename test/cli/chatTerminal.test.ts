/** A conversation that a user keeps open at a terminal. */
import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { CliProcess, isRunning, makePlace, noTerminal, type Place, testAgent } from './cliProcess.js';
import { placesOfOneEngine } from './engineOf.js';

const makeSharedPlace = placesOfOneEngine();

let place: Place;
beforeEach(async () => {
  place = await makeSharedPlace({ 'a.txt': 'one\n' });
});
afterEach(() => place.remove());
/** Where an engine begins and ends with the chat, and nothing was saved before. */
async function standAlone(): Promise<void> {
  await place.remove();
  place = await makePlace();
}

const open = (...args: readonly string[]): CliProcess =>
  new CliProcess(place, ['chat', ...args], { TERM: 'xterm', NO_COLOR: '1' }, { terminal: true });
const times = (text: string, what: string): number => text.split(what).length - 1;
/** Whether the output ends with the empty line for the next prompt. */
const isAsked = (text: string): boolean => /> (?:\x1b\[3G)?$/.test(text);
const upArrow = '\x1b[A';

const isInterrupted = (text: string): boolean => /s to skip it: (?:\x1b\[\d+G)?$/.test(text);

describe('chat in a terminal', { skip: noTerminal() ?? false }, () => {
  for (const [name, keys] of [
    ['Ctrl+D', '\x04'],
    ['/exit', '/exit\r'],
  ] as const)
    test(`${name} during a turn says when the chat exits`, async () => {
      const cli = open('--agent', 'demo');
      await cli.until('line', isAsked);
      cli.child.stdin.write('long 2000\r');
      await cli.until('answer', (text) => text.includes('How an agent and its host talk'));
      cli.child.stdin.write(keys);
      await cli.until('note', (text) => text.includes('Exiting after this turn'));
      cli.child.stdin.write('\x03');
      const { code, stdout } = await cli.ended();
      assert.equal(code, 0, stdout);
    });

  test('Ctrl+D while the agent starts names no turn', async () => {
    const cli = open('--agent', 'demo');
    await cli.until('terminal', (text) => text.includes('\x1b[?2004h'));
    cli.child.stdin.write('\x04');
    const { code, stdout } = await cli.ended();
    assert.deepEqual([code, stdout.includes('Exiting')], [0, false], stdout);
  });

  test('it reads prompts one by one, with a history, and Ctrl+D exits', async () => {
    const cli = open(...testAgent('diesOnce'));
    await cli.until('line', isAsked);
    cli.child.stdin.write('hello\r');
    await cli.until('answer and line', (text) => text.includes('You said: hello\r\n') && isAsked(text));
    cli.child.stdin.write(`${upArrow} again\r`);
    await cli.until('second answer and line', (text) => text.includes('You said: hello again\r\n') && isAsked(text));
    cli.child.stdin.write('\x04');
    const { code, stdout } = await cli.ended();
    assert.equal(code, 0, stdout);
    assert.match(stdout, /Press Ctrl\+C to stop a turn, Ctrl\+D to exit/);
    assert.match(stdout, /> (?:\x1b\[3G)?(?:\x1b\[\?2004l)?\r\n$/, 'the shell goes on below it');
  });

  test('what is typed before the chat is there is answered', async () => {
    await standAlone();
    const cli = open(...testAgent('diesOnce'));
    cli.child.stdin.write('hello\rhello again\r');
    await cli.until('both answers', (text) => text.includes('You said: hello again\r\n') && isAsked(text));
    cli.child.stdin.write('\x04');
    const { code, stdout } = await cli.ended();
    assert.deepEqual([code, times(stdout, 'You said: hello')], [0, 2], stdout);
  });

  test('pasted lines are one prompt, which is sent with Enter and can be recalled', async () => {
    const cli = open(...testAgent('diesOnce'));
    await cli.until('line', isAsked);
    cli.child.stdin.write('\x1b[200~first\n\tsecond\nthird\n\x1b[201~');
    await cli.until('the pasted text', (text) => text.includes('first␤␉second␤third'));
    cli.child.stdin.write('!\r');
    const isAnswered = (text: string): boolean => /You said: first\r\n\tsecond\r\nthird!\r\n/.test(text) && isAsked(text);
    await cli.until('answer and line', isAnswered);
    cli.child.stdin.write(`${upArrow}?\r`);
    await cli.until('second answer and line', (text) => /third!\?\r\n/.test(text.slice(text.indexOf('third!\r\n') + 9)) && isAsked(text));
    cli.child.stdin.write('\x04');
    const { code, stdout } = await cli.ended();
    assert.equal(code, 0, stdout);
    assert.equal(times(stdout, 'You said: '), 2);
    assert.ok(stdout.lastIndexOf('\x1b[?2004l') > stdout.lastIndexOf('\x1b[?2004h'), 'the terminal is as it was');
  });

  test('pasted lines that begin like a command are a prompt', async () => {
    const cli = open(...testAgent('diesOnce'));
    await cli.until('line', isAsked);
    cli.child.stdin.write('\x1b[200~/login fails\nwith a timeout\x1b[201~\r');
    await cli.until('answer', (text) => text.includes('You said: /login fails\r\nwith a timeout') && isAsked(text));
    cli.child.stdin.write('\x04');
    assert.equal((await cli.ended()).code, 0);
  });

  test('a message that needs a sign-in waits for /login', async () => {
    const cli = new CliProcess(
      place,
      ['chat', ...testAgent('expiresInBetween')],
      { TERM: 'xterm', NO_COLOR: '1', EXPIRES_AT: 'session/prompt' },
      { terminal: true },
    );
    await cli.until('line', isAsked);
    cli.child.stdin.write('hello\r');
    await cli.until('what waits', (text) => text.includes('/login signs you in') && isAsked(text));
    cli.child.stdin.write('/login\r');
    await cli.until('answer and line', (text) => text.includes('hello\r\n', text.indexOf('/login\r')) && isAsked(text));
    cli.child.stdin.write('\x04');
    const { code, stdout } = await cli.ended();
    assert.deepEqual([code, times(stdout, 'half ')], [0, 1], stdout);
  });

  test('a terminal that understands no control sequences gets none', async () => {
    const cli = new CliProcess(place, ['chat', '--agent', 'demo'], { TERM: 'dumb' }, { terminal: true });
    await cli.until('line', isAsked);
    cli.child.stdin.write('edit a.txt one => two\r');
    await cli.until('question', (text) => text.endsWith('Enter to reject once): '));
    cli.child.stdin.write('1\r');
    await cli.until('line', (text) => text.includes('Done') && isAsked(text));
    cli.child.stdin.write('\x04');
    const { code, stdout } = await cli.ended();
    assert.deepEqual([code, stdout.includes('\x1b')], [0, false], stdout);
    assert.match(stdout, /edit a\.txt one => two\r+\nI am the demo agent/);
  });

  test('it asks for permission in place, and the answer is not added to the history', async () => {
    const cli = open('--agent', 'demo');
    await cli.until('line', isAsked);
    cli.child.stdin.write('edit a.txt one => two\r');
    await cli.until('question', (text) => /Enter to (?:cancel|reject once)/.test(text));
    cli.child.stdin.write('1\r');
    await cli.until('line', isAsked);
    assert.equal(await readFile(path.join(place.workspace, 'a.txt'), 'utf8'), 'two\n');
    cli.child.stdin.write(upArrow);
    await cli.until(
      'the prompt again',
      (text) => text.endsWith('> edit a.txt one => two') || /> edit a\.txt one => two(?:\x1b\[\d+G)?$/.test(text),
    );
    cli.child.stdin.write('\x03\x04');
    assert.equal((await cli.ended()).code, 0);
  });

  test('a command of the host is reached beside one of the agent with the same name', async () => {
    const cli = open('--agent', 'demo');
    await cli.until('line', (text) => text.includes('/host:help lists the commands') && isAsked(text));
    // The agent names its commands before it answers.
    cli.child.stdin.write('list\r');
    await cli.until('answer', (text) => text.includes('holds') && isAsked(text));
    cli.child.stdin.write('/help\r');
    await cli.until('the help of the agent', (text) => text.includes('- `search TEXT`') && isAsked(text));
    cli.child.stdin.write('/host:help\r');
    await cli.until('both', (text) => /\/host:help +list the commands\r\n[\s\S]*\/help +Show what this agent can do/.test(text));
    cli.child.stdin.write('/host:exit\r');
    assert.equal((await cli.ended()).code, 0);
  });

  test('input typed during a turn is kept', async () => {
    const cli = open('--agent', 'demo', '--permission', 'allow');
    await cli.until('line', isAsked);
    cli.child.stdin.write('ask\r');
    await cli.until('question', (text) => /Enter to (?:cancel|reject once)/.test(text));
    cli.child.stdin.write('tea\rread a.txt\r');
    await cli.until('the answer to what was typed ahead', (text) => text.includes('1 line and 4 bytes'));
    await cli.until('line', isAsked);
    cli.child.stdin.write('\x04');
    const { code, stdout } = await cli.ended();
    assert.equal(code, 0);
    assert.match(stdout, /You answered: \*\*tea\*\*/);
  });

  test('a sentence interrupted by a request does not answer it, and returns to the line', async () => {
    const cli = open(...testAgent('asksTwice'));
    await cli.until('line', isAsked);
    cli.child.stdin.write('go\rand then');
    await cli.until('request', (text) => /1 {2}Allow once/.test(text));
    cli.child.stdin.write(' 1\r');
    await cli.until('question', (text) => times(text, 'Enter to reject once') === 1);
    cli.child.stdin.write('3\r1\r');
    await cli.until('second question', (text) => times(text, 'Enter to reject once') === 2);
    cli.child.stdin.write('3\r');
    await cli.until('the sentence', (text) => /> and then 1/.test(text.slice(text.indexOf('decided: no, no.'))));
    cli.child.stdin.write('\x15\x04');
    const { code, stdout } = await cli.ended();
    assert.equal(code, 0, stdout);
    assert.doesNotMatch(stdout, /queued/);
  });

  test('Ctrl+C cancels the turn but not the chat; without a turn, it warns and then exits', async () => {
    const cli = open('--agent', 'demo');
    await cli.until('line', isAsked);
    cli.child.stdin.write('ask\r');
    await cli.until('question', (text) => /Enter to (?:cancel|reject once)/.test(text));
    cli.child.stdin.write('\x03');
    await cli.until('end and line', (text) => text.includes('The turn was canceled.') && isAsked(text));
    cli.child.stdin.write('\x03');
    await cli.until('warning', (text) => text.includes('Ctrl+C again or Ctrl+D to exit'));
    cli.child.stdin.write('\x03');
    assert.equal((await cli.ended()).code, 130);
  });

  test('a second Ctrl+C exits and ends an agent that does not stop', async () => {
    await standAlone();
    const cli = open(...testAgent('ignoresCancel'));
    await cli.until('line', isAsked);
    cli.child.stdin.write('go\r');
    await cli.until('the pid of the agent', (text) => /pid \d+/.test(text));
    cli.child.stdin.write('\x03');
    await cli.until('a word about the second Ctrl+C', (text) => text.includes('Stopping'));
    cli.child.stdin.write('\x03');
    const { code, stdout } = await cli.ended();
    assert.equal(code, 130);
    assert.equal(isRunning(Number(/pid (\d+)/.exec(stdout)?.[1])), false);
  });

  test('an interrupted prompt is resent on request, edited or unchanged', async () => {
    const cli = open(...testAgent('diesOnce'));
    await cli.until('line', isAsked);
    cli.child.stdin.write('once\r');
    await cli.until('the agent is back', (text) => text.includes('restarted and resumed the session') && isInterrupted(text));
    cli.child.stdin.write('e\r');
    await cli.until('the prompt again', (text) => /> once(?:\x1b\[\d+G)?$/.test(text));
    cli.child.stdin.write(' more\r');
    await cli.until('answer and line', (text) => text.includes('You said: once more') && isAsked(text));
    cli.child.stdin.write('\x04');
    const { code, stdout } = await cli.ended();
    assert.equal(code, 0);
    assert.equal(times(stdout, 'half an ans'), 1);
  });

  test('an interrupted prompt of several lines can be edited on one', async () => {
    const cli = open(...testAgent('diesOnce'));
    await cli.until('line', isAsked);
    cli.child.stdin.write('\x1b[200~once\nor twice\x1b[201~\r');
    await cli.until('the agent is back', (text) => text.includes('restarted and resumed the session') && isInterrupted(text));
    cli.child.stdin.write('e\r');
    await cli.until('the prompt again', (text) => /> once␤or twice(?:\x1b\[\d+G)?$/.test(text));
    cli.child.stdin.write('!\r');
    await cli.until('answer and line', (text) => text.includes('You said: once\r\nor twice!') && isAsked(text));
    cli.child.stdin.write('\x04');
    assert.equal((await cli.ended()).code, 0);
  });

  for (const [choice, said] of [
    ['r', 'once'],
    ['s', 'last'],
  ] as const) {
    test(`an answer meant for the crashed agent sends nothing; afterwards ${choice} is a choice`, async () => {
      const cli = open(...testAgent('diesOnce'));
      await cli.until('line', isAsked);
      cli.child.stdin.write('once\r');
      await cli.until('the agent is back', (text) => text.includes('restarted and resumed the session') && isInterrupted(text));
      cli.child.stdin.write('1\r');
      await cli.until('the choice again', (text) => text.includes('Not a valid choice.') && isInterrupted(text));
      cli.child.stdin.write(`${choice}\r`);
      if (choice === 's') {
        await cli.until('line', isAsked);
        cli.child.stdin.write('last\r');
      }
      await cli.until('answer and line', (text) => text.includes(`You said: ${said}`) && isAsked(text));
      cli.child.stdin.write('\x04');
      assert.equal(times((await cli.ended()).stdout, 'You said: '), 1);
    });
  }
});

describe('typing at a question about an interrupted turn', { skip: noTerminal() ?? false }, () => {
  test('a sentence returns to the line', async () => {
    const cli = open(...testAgent('diesOnce'));
    await cli.until('line', isAsked);
    cli.child.stdin.write('once\rand ');
    await cli.until('the agent is back', (text) => text.includes('restarted and resumed the session') && isInterrupted(text));
    cli.child.stdin.write('also this\r');
    await cli.until('the choice again', (text) => text.includes('Your text comes back') && isInterrupted(text));
    cli.child.stdin.write('s\r');
    await cli.until('the sentence', (text) => /> and also this(?:\x1b\[\d+G)?$/.test(text));
    cli.child.stdin.write('\x15\x04');
    assert.equal((await cli.ended()).code, 6);
  });

  test('a sentence interrupted by the next question returns to the line', async () => {
    const cli = new CliProcess(
      place,
      ['chat', ...testAgent('diesOnce')],
      { TERM: 'xterm', NO_COLOR: '1', DIES_ONCE_CANNOT_LOAD: '1' },
      { terminal: true },
    );
    await cli.until('line', isAsked);
    cli.child.stdin.write('once\r');
    await cli.until('the first question', isInterrupted);
    cli.child.stdin.write('and then');
    await cli.until('the second question', (text) => /Your choice \(1-4\): (?:\x1b\[\d+G)?$/.test(text));
    cli.child.stdin.write(' more\r');
    await cli.until(
      'the second question again',
      (text) => text.includes('Your text comes back') && /Your choice \(1-4\): (?:\x1b\[\d+G)?$/.test(text),
    );
    cli.child.stdin.write('2\r');
    await cli.until('the first question again', isInterrupted);
    cli.child.stdin.write('s\r');
    await cli.until('the sentence', (text) => /> and then more(?:\x1b\[\d+G)?$/.test(text));
    cli.child.stdin.write('\x15\x04');
    assert.equal((await cli.ended()).code, 6);
  });
});

describe('a session that cannot be resumed, in a terminal', { skip: noTerminal() ?? false }, () => {
  const cannotLoad = { DIES_ONCE_CANNOT_LOAD: '1' };
  const openMortal = (): CliProcess =>
    new CliProcess(place, ['chat', ...testAgent('diesOnce')], { TERM: 'xterm', NO_COLOR: '1', ...cannotLoad }, { terminal: true });
  const isChoosing = (text: string): boolean => /Your choice \(1-4\): (?:\x1b\[\d+G)?$/.test(text);

  test('the user is asked, can read the context, and it is sent to the new session', async () => {
    const cli = openMortal();
    await cli.until('line', isAsked);
    cli.child.stdin.write('once\r');
    await cli.until('choices', (text) => text.includes('1  Continue with context') && text.includes('4  Exit') && isChoosing(text));
    cli.child.stdin.write('3\r');
    await cli.until('the context', (text) => text.includes('> half an ans') && isChoosing(text));
    cli.child.stdin.write('9\r');
    await cli.until('a word about it', (text) => text.includes('Not a valid choice') && isChoosing(text));
    cli.child.stdin.write('1\r');
    await cli.until('the interrupted prompt', isInterrupted);
    cli.child.stdin.write('e\r');
    await cli.until('the prompt again', (text) => /> once(?:\x1b\[\d+G)?$/.test(text));
    cli.child.stdin.write('\x15heard\r');
    await cli.until('answer and line', (text) => text.includes('acp-host:conversation') && isAsked(text));
    cli.child.stdin.write('\x04');
    assert.equal((await cli.ended()).code, 0);
  });

  test('the user can exit, with the exit code of a lost agent', async () => {
    const cli = openMortal();
    await cli.until('line', isAsked);
    cli.child.stdin.write('once\r');
    await cli.until('choices', isChoosing);
    cli.child.stdin.write('4\r');
    const { code, stdout } = await cli.ended();
    assert.equal(code, 6);
    assert.match(stdout, /acp-host chat --continue/);
    assert.doesNotMatch(stdout, /nobody/i);
  });
});

describe('an agent that was lost, in a terminal', { skip: noTerminal() ?? false }, () => {
  test('a sentence meant for it does not start it again, and returns to the line', async () => {
    const cli = open(...testAgent('obedient'));
    const isOffered = (text: string): boolean => /Press Enter to restart the agent, Ctrl\+D to exit: (?:\x1b\[\d+G)?$/.test(text);
    await cli.until('line', isAsked);
    cli.child.stdin.write('leaveOn SIGUSR2\r');
    await cli.until('answer and line', (text) => /pid \d+/.test(text) && isAsked(text));
    cli.child.stdin.write('say please also che');
    await cli.until('what is typed', (text) => text.includes('also che'));
    process.kill(Number(/pid (\d+)/.exec(cli.stdout)?.[1]), 'SIGUSR2');
    await cli.until('the offer', isOffered);
    cli.child.stdin.write('ck the tests\r');
    await cli.until('the offer again', (text) => text.includes('Your text comes back to the line afterwards.') && isOffered(text));
    cli.child.stdin.write('\r');
    await cli.until('the sentence', (text) => /> say please also check the tests(?:\x1b\[\d+G)?$/.test(text));
    cli.child.stdin.write('\r');
    await cli.until('answer and line', (text) => text.includes('\nplease also check the tests\r\n') && isAsked(text));
    cli.child.stdin.write('\x04');
    assert.equal((await cli.ended()).code, 0);
  });

  test('Ctrl+D exits, also before the question is visible', async () => {
    const cli = open(...testAgent('obedient'));
    await cli.until('line', isAsked);
    cli.child.stdin.write('leaveOn SIGUSR2\r');
    await cli.until('answer and line', (text) => /pid \d+/.test(text) && isAsked(text));
    process.kill(Number(/pid (\d+)/.exec(cli.stdout)?.[1]), 'SIGUSR2');
    await cli.until('word of the end', (text) => text.includes('error: '));
    cli.child.stdin.write('\x04');
    await cli.ended();
    assert.doesNotMatch(cli.stdout, /restart the agent/);
  });

  test('Enter starts it again', async () => {
    const cli = open(...testAgent('obedient'));
    await cli.until('line', isAsked);
    cli.child.stdin.write('dieTwice\r');
    await cli.until('the offer', (text) => /Press Enter to restart the agent, Ctrl\+D to exit: (?:\x1b\[\d+G)?$/.test(text));
    cli.child.stdin.write('\r');
    await cli.until('the interrupted prompt', isInterrupted);
    cli.child.stdin.write('s\r');
    await cli.until('line', isAsked);
    cli.child.stdin.write('say hello\r');
    await cli.until('answer and line', (text) => text.includes('hello\r\n') && isAsked(text));
    cli.child.stdin.write('\x04');
    assert.equal((await cli.ended()).code, 0);
  });
});

describe('the line history', { skip: noTerminal() ?? false }, () => {
  test('it is saved between chats, redacted and readable by its owner only', async () => {
    await standAlone();
    const first = open(...testAgent('diesOnce'));
    await first.until('line', isAsked);
    first.child.stdin.write('my key is sk-secret_0123456789\r');
    await first.until('answer and line', (text) => text.includes('You said:') && isAsked(text));
    first.child.stdin.write('\x04');
    await first.ended();
    const file = path.join(String(place.env['ACP_HOST_STATE']), 'chat-history');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.equal(await readFile(file, 'utf8'), '"my key is [redacted]"\n');
    const second = open(...testAgent('diesOnce'));
    await second.until('line', isAsked);
    second.child.stdin.write(upArrow);
    await second.until('the line of before', (text) => /> my key is \[redacted\](?:\x1b\[\d+G)?$/.test(text));
    second.child.stdin.write('\x15\x04');
    assert.equal((await second.ended()).code, 0);
  });
});
