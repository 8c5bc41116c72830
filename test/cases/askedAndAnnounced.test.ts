/** What the user is asked is what the agent does, whatever it announced under which id, and when. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { CliProcess, makePlace, noTerminal, type Place, testAgent } from '../cli/cliProcess.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

interface Case {
  readonly shown: readonly RegExp[];
  readonly hidden?: RegExp;
  /** The request changes while it is open. */
  readonly isRevised?: true;
}

const removal = /rm -rf build/;
const cases: Readonly<Record<string, Case>> = {
  reusedId: { shown: [/Look around/], hidden: removal },
  merged: { shown: [/\bls\b/], hidden: /-rf/ },
  changed: { shown: [removal, /May delete something/], hidden: /\bls\b/, isRevised: true },
  changedOften: { shown: [removal], hidden: /rm -rf [abc]\b/, isRevised: true },
  changedFromAsked: { shown: [removal, /May delete something/], hidden: /pwd/, isRevised: true },
  announcedLater: { shown: [removal, /May delete something/], isRevised: true },
  otherId: { shown: [/Confirm Agent Actions/, removal, /May delete something/] },
  otherIdLater: { shown: [/Confirm Agent Actions/, removal], isRevised: true },
  otherIdWithText: { shown: [/One action needs your confirmation/, removal] },
  diffs: { shown: [/-red/, /\+blue/, /-10/, /\+12/, /be nice/] },
  sameAgain: { shown: [removal] },
};

describe('at a terminal, a request shows what it is about', { skip: noTerminal() ?? false }, () => {
  for (const [word, { shown, hidden, isRevised }] of Object.entries(cases)) {
    test(word, async () => {
      const cli = new CliProcess(
        place,
        ['run', ...testAgent('announcesOther'), word],
        { TERM: 'xterm', NO_COLOR: '1' },
        { terminal: true },
      );
      const isAsked = (text: string): boolean => shown.every((one) => one.test(lastRequest(text))) && text.endsWith('once): ');
      await cli.until('question', isAsked);
      const request = lastRequest(cli.stdout);
      if (hidden !== undefined) assert.doesNotMatch(request, hidden);
      cli.child.stdin.write('3\n');
      const { stdout } = await cli.ended();
      assert.match(stdout, /decided: no\./);
      if (isRevised) assert.match(stdout, /The agent withdrew or changed the request\./);
      else assert.equal(stdout.split('asks for permission').length, 2, 'asked once');
    });
  }
});

function lastRequest(text: string): string {
  return text.slice(text.lastIndexOf('asks for permission'));
}

test('an answer to what a request was before does not count for what it is now', async () => {
  const cli = new CliProcess(place, ['run', '--format', 'json', ...testAgent('announcesOther'), 'changed']);
  const first = await cli.event('request', (line) => line.event === 'permission' && line.phase === 'request');
  await cli.event('withdrawal', (line) => line.event === 'permission' && line.phase === 'answer' && line.id === idOf(first));
  cli.writeLine({ permission: idOf(first), optionId: 'yes' });
  const second = await cli.event('second request', (line) => isRequest(line) && idOf(line) !== idOf(first));
  assert.match(JSON.stringify(second), removal);
  cli.writeLine({ permission: idOf(second), optionId: 'no' });
  assert.match((await cli.ended()).stdout, /decided: no\./);
});

type Line = Awaited<ReturnType<CliProcess['event']>>;

function isRequest(line: Line): boolean {
  return line.event === 'permission' && line.phase === 'request';
}

function idOf(line: Line): string {
  return line.event === 'permission' ? line.id : '';
}
