/** The terminal chat, suspended with Ctrl+Z and continued. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { CliProcess, makePlace, noTerminal } from './cliProcess.js';
import { cliProgram } from './programs.js';

test('a chat that continues after Ctrl+Z reads the terminal', { skip: noTerminal() ?? false }, async () => {
  const place = await makePlace();
  try {
    const start = `process.argv.splice(1, 0, 'cli'); console.log('pid ' + process.pid); import('${pathToFileURL(cliProgram).href}')`;
    const terminal = { TERM: 'xterm', NO_COLOR: '1' };
    const cli = new CliProcess(place, ['chat', '--agent', 'demo'], terminal, { terminal: true, program: ['-e', start, '--'] });
    await cli.until('prompt', (stdout) => stdout.includes('> '));
    cli.child.stdin.write('ti\x1a');
    await cli.until('typed text', (stdout) => stdout.includes('ti'));
    const shown = cli.stdout.split('> ti').length;
    process.kill(Number(/pid (\d+)/.exec(cli.stdout)?.[1]), 'SIGCONT');
    await cli.until('prompt again', (stdout) => stdout.split('> ti').length > shown);
    cli.child.stdin.write('tle Renamed\r');
    await cli.until('answer', (stdout) => stdout.split('Renamed').length > 2);
    cli.child.stdin.write('\x04');
    assert.equal((await cli.ended()).code, 0);
  } finally {
    await place.remove();
  }
});
