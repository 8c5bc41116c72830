/** A command in a terminal, suspended with Ctrl+Z and continued. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { CliProcess, makePlace, noTerminal, type Place, runCli } from './cliProcess.js';

/** @param shell runs the command as its job */
function inShell(place: Place, shell: string, ...command: readonly string[]): CliProcess {
  return new CliProcess(place, command, { TERM: 'xterm', NO_COLOR: '1' }, { terminal: true, shell });
}

/** Suspends its job as a shell in a terminal does, and continues it once it is suspended. */
const suspendingShell = 'set -m; "$@"; echo back in the shell; fg %1';

test('a chat that continues after Ctrl+Z reads the terminal', { skip: noTerminal() ?? false }, async () => {
  const place = await makePlace();
  try {
    const cli = inShell(place, suspendingShell, 'chat', '--agent', 'demo');
    await cli.until('prompt', (stdout) => stdout.includes('> '));
    cli.child.stdin.write('ti\x1a');
    await cli.until('shell', (stdout) => stdout.includes('back in the shell'));
    await cli.until('prompt again', (stdout) => stdout.split('back in the shell')[1]?.includes('> ti') ?? false);
    cli.child.stdin.write('tle Renamed\r');
    await cli.until('answer', (stdout) => stdout.split('Renamed').length > 2);
    cli.child.stdin.write('\x04');
    const { code, stdout } = await cli.ended();
    assert.equal(code, 0);
    const [before = '', after = ''] = stdout.split('back in the shell');
    const isPasteMarked = (text: string): boolean => text.lastIndexOf('\x1b[?2004h') > text.lastIndexOf('\x1b[?2004l');
    assert.deepEqual([isPasteMarked(before), after.includes('\x1b[?2004h'), isPasteMarked(after)], [false, true, false]);
  } finally {
    await place.remove();
  }
});

test('a command that continues after Ctrl+Z asks its question again', { skip: noTerminal() ?? false }, async () => {
  const place = await makePlace({ 'a.txt': 'one\n' });
  try {
    await runCli(place, ['run', '--agent', 'demo', '--permission', 'allow', 'edit a.txt one => two']);
    const cli = inShell(place, suspendingShell, 'undo');
    await cli.until('question', (stdout) => stdout.includes('(y or n)'));
    cli.child.stdin.write('\x1a');
    await cli.until('question again', (stdout) => stdout.split('back in the shell')[1]?.includes('(y or n)') ?? false);
    cli.child.stdin.write('y\r');
    assert.equal((await cli.ended()).code, 0);
    assert.equal(await readFile(path.join(place.workspace, 'a.txt'), 'utf8'), 'one\n');
  } finally {
    await place.remove();
  }
});

/** Has the settings of a line editor while its job is in the background, until a line is typed. */
const editingShell = 'set -m; stty -icanon -icrnl -echo; "$@" & read -r line; stty sane; echo in the foreground; fg %1';

test('a run that asks in the background can be answered in the foreground', { skip: noTerminal() ?? false }, async () => {
  const place = await makePlace();
  try {
    const cli = inShell(place, editingShell, 'run', '--agent', 'demo', 'ask');
    await cli.until('question', (stdout) => stdout.includes('in the background'));
    cli.child.stdin.write('\n');
    await cli.until('prompt', (stdout) => stdout.split('in the foreground')[1]?.includes('Your answer') ?? false);
    cli.child.stdin.write('green\r');
    const { code, stdout } = await cli.ended();
    assert.deepEqual([code, stdout.split('green').length > 2], [0, true]);
  } finally {
    await place.remove();
  }
});

/** @param shell has the run in the background, and says how it ended @param after what to type once it asks, and what is shown then */
async function answeredElsewhere(shell: string, ...after: readonly (readonly [keys: string, shown: string])[]): Promise<void> {
  const place = await makePlace({ 'a.txt': 'one\n' });
  try {
    const cli = inShell(place, shell, 'run', '--agent', 'demo', 'edit a.txt one => two');
    await cli.until('question', (stdout) => stdout.includes('in the background') || stdout.includes('Your choice'));
    for (const [keys, shown] of after) {
      cli.child.stdin.write(keys);
      await cli.until('shell', (stdout) => stdout.includes(shown));
    }
    const { sessions } = JSON.parse((await runCli(place, ['sessions', '--format', 'json'])).stdout);
    await runCli(place, ['attach', sessions[0].id, '--permission', 'allow']);
    await cli.until('end', (stdout) => stdout.includes('ended with'));
    const { stdout } = await cli.ended();
    assert.match(stdout, /ended with 0/);
    assert.ok(!stdout.slice(stdout.indexOf('Answered in')).includes('in the background'));
    assert.equal(await readFile(path.join(place.workspace, 'a.txt'), 'utf8'), 'two\n');
  } finally {
    await place.remove();
  }
}

test('a run in the background goes on when its question is answered elsewhere', { skip: noTerminal() ?? false }, () =>
  answeredElsewhere('set -m; "$@" & wait $!; echo ended with $?'),
);

test('a run that asks and goes on in the background reads nothing that is typed there', { skip: noTerminal() ?? false }, () =>
  answeredElsewhere(
    'set -m; "$@"; bg %1; read -r line; echo typed in the shell; wait %1; echo ended with $?',
    ['\x1a', 'in the background'],
    ['anything\n', 'typed'],
  ),
);

test('a run that continues after Ctrl+Z asks again', { skip: noTerminal() ?? false }, async () => {
  const place = await makePlace();
  try {
    const cli = inShell(place, suspendingShell, 'run', '--agent', 'demo', 'ask');
    await cli.until('question', (stdout) => stdout.includes('Your answer'));
    cli.child.stdin.write('re\x1a');
    await cli.until('question again', (stdout) => stdout.split('back in the shell')[1]?.includes('Your answer') ?? false);
    cli.child.stdin.write('green\r');
    const { code, stdout } = await cli.ended();
    assert.deepEqual([code, stdout.includes('regreen'), stdout.split('green').length > 2], [0, false, true]);
  } finally {
    await place.remove();
  }
});
