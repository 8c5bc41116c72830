/** What an agent writes while its request is open at a terminal. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { CliProcess, makePlace, noTerminal, type Place, testAgent } from '../cli/cliProcess.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const isAsked = (text: string): boolean => text.includes('Enter to reject once');

describe('while a request is open at a terminal', { skip: noTerminal() ?? false }, () => {
  for (const command of ['run', 'chat'])
    for (const word of ['forged', 'parallel']) {
      test(`${command}: nothing is written over it (${word})`, async () => {
        const cli = new CliProcess(place, [command, ...testAgent('coversRequests'), ...(command === 'run' ? [word] : [])], env, terminal);
        if (command === 'chat') {
          await cli.until('line', (text) => text.includes('help lists'));
          cli.child.stdin.write(`${word}\r`);
        }
        await cli.until('question', isAsked);
        const shown = cli.stdout;
        const request = shown.slice(shown.lastIndexOf('asks for permission'));
        assert.match(request, /\$ rm -rf build[^]*1 {2}Allow once[^]*Your choice/, shown);
        assert.doesNotMatch(request, /\$ ls|Read file/);
        cli.child.stdin.write(command === 'run' ? '3\n' : '3\r');
        await cli.until('answer', (text) => text.includes('decided: no.'));
        const after = cli.stdout;
        assert.match(after.slice(after.indexOf('Your choice')), word === 'forged' ? /\$ ls/ : /Read file59/, 'what was held follows');
        cli.child.stdin.write('\x04');
        assert.equal((await cli.ended()).code, 0);
      });
    }

  test('after too much to hold, it is drawn again as a whole, and what was typed before does not count', async () => {
    const cli = new CliProcess(place, ['run', ...testAgent('coversRequests'), 'flood'], env, terminal);
    // On a busy machine, it is asked before all of that has arrived, too.
    await cli.until('question below the flood', (text) => /x{1000}/.test(text) && isAsked(text.slice(text.lastIndexOf('xxx'))));
    const shown = cli.stdout;
    assert.match(shown.slice(shown.lastIndexOf('xxx')), /asks for permission[^]*\$ rm -rf build[^]*1 {2}Allow once[^]*Your choice/);
    cli.child.stdin.write('3\n');
    assert.match((await cli.ended()).stdout, /decided: no\./);
  });
});

const env = { TERM: 'xterm', NO_COLOR: '1' };
const terminal = { terminal: true } as const;
