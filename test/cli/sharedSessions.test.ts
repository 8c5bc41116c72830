/** Several command lines at once with the same folder of sessions. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { nullLogger } from '../../src/core/base/logger.js';
import { Redactor } from '../../src/core/base/redact.js';
import { ConversationStore } from '../../src/core/store/conversationStore.js';
import { sessionsLine, type SessionsLine, showLine } from '../../src/cli/output/reportSchema.js';
import { CliProcess, eventsOf, makePlace, type Place, testAgent } from './cliProcess.js';
import { runHere } from './runHere.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const agent = testAgent('obedient');
const chat = ['chat', ...agent, '--format', 'json'];
const sessions = async (): Promise<SessionsLine['sessions']> =>
  sessionsLine.parse(JSON.parse((await runHere(place, ['sessions', '--format', 'json'])).stdout)).sessions;
const endings = (stdout: string): readonly unknown[] =>
  eventsOf(stdout).flatMap((line) => (line.event === 'turn' && line.phase === 'end' ? [line.stopReason] : []));

describe('a session in use by another command line', () => {
  test('it is listed as running', async () => {
    const other = new CliProcess(place, chat);
    other.writeLine({ prompt: 'wait' });
    await other.event('tool', (line) => line.event === 'update' && line.update.sessionUpdate === 'tool_call');
    assert.deepEqual(
      (await sessions()).map(({ title, state }) => [title, state]),
      [['wait', 'running']],
    );
    assert.match((await runHere(place, ['sessions'])).stdout, / {2}\[running\] wait\n$/);
    other.writeLine({ cancel: true });
    other.child.stdin.end();
    await other.ended();
    assert.deepEqual(endings(other.stdout), ['cancelled']);
  });

  test('its ID alone resumes it with the agent of the session', async () => {
    assert.equal((await runHere(place, ['run', ...agent, '--format', 'json', 'say one'])).code, 0);
    const [saved] = await sessions();
    const resumed = await runHere(place, ['run', '--session', saved?.id ?? '', '--format', 'json', 'say two']);
    assert.deepEqual([resumed.code, endings(resumed.stdout)], [0, ['end_turn']]);
    assert.deepEqual(
      (await sessions()).map(({ id }) => id),
      [saved?.id],
    );
  });

  test('both work in it, and each shows what the other one sends', async () => {
    const other = new CliProcess(place, chat);
    other.writeLine({ prompt: 'say one' });
    await other.event('end', (line) => line.event === 'turn' && line.phase === 'end');
    const [saved] = await sessions();
    assert.equal(saved?.state, 'idle');
    const here = await runHere(place, ['run', ...agent, '--session', saved.id, '--format', 'json', 'say two']);
    assert.deepEqual([here.code, endings(here.stdout)], [0, ['end_turn']]);
    await other.until('answer of the other one', (stdout) => stdout.includes('"text":"two"'));
    other.writeLine({ prompt: 'say three' });
    await other.until('answer', (stdout) => stdout.includes('"text":"three"'));
    other.child.stdin.end();
    assert.equal((await other.ended()).code, 0);
    const shown = showLine.parse(JSON.parse((await runHere(place, ['show', saved.id, '--format', 'json'])).stdout));
    assert.deepEqual(
      shown.items.flatMap((item) => (item.type === 'prompt' ? [item.text] : item.type === 'end' ? [item.outcome] : [])),
      ['say one', 'ended', 'say two', 'ended', 'say three', 'ended'],
    );
  });

  test('after that process was killed, it is listed as interrupted and is free', async () => {
    const other = new CliProcess(place, chat);
    other.writeLine({ prompt: 'wait' });
    await other.event('tool', (line) => line.event === 'update' && line.update.sessionUpdate === 'tool_call');
    other.child.kill('SIGKILL');
    await other.ended();
    const [saved] = await sessions();
    assert.equal(saved?.state, 'interrupted');
    assert.equal((await runHere(place, ['run', ...agent, '--continue', 'say two'])).code, 0);
  });
});

describe('a conversation of the editor without messages', () => {
  test('it is listed in order with its title or its unsent text', async () => {
    assert.equal((await runHere(place, ['run', ...agent, 'say one'])).code, 0);
    const { ACP_HOST_STATE: folder = '' } = place.env;
    const editor = new ConversationStore({ stateFolder: folder, redactor: new Redactor(), log: nullLogger });
    const write = (id: string, text: string): void =>
      editor.remember(id, place.workspace, { place: undefined, outbox: [], returned: [], draft: { text, chips: [] } }, undefined);
    write('draft', 'half a thought\npasted');
    write('blank', ' ');
    editor.change('pinned', place.workspace, { isPinned: true });
    editor.change('named', place.workspace, { title: 'Mine' });
    const { stdout } = await runHere(place, ['sessions']);
    const [session, ...unsent] = stdout.trimEnd().split('\n').toReversed();
    const [draft, named, ...rest] = unsent.toSorted((a, b) => Number(a.endsWith('Mine')) - Number(b.endsWith('Mine')));
    assert.match(named ?? '', /^- .* {2}- +\S+ {2}\[not sent\] Mine$/);
    assert.match(draft ?? '', /^- +\d{4}-\d\d-\d\d \d\d:\d\d {2}- +\S+ {2}\[not sent\] half a thought$/);
    assert.match(session ?? '', / say one$/);
    assert.deepEqual(rest, []);
    const line = sessionsLine.parse(JSON.parse((await runHere(place, ['sessions', '--format', 'json'])).stdout));
    assert.deepEqual(
      line.sessions.map(({ title }) => title),
      ['say one'],
    );
    assert.deepEqual(line.unsent.map(({ cwd, title }) => [cwd, title]).toSorted(), [
      [place.workspace, 'Mine'],
      [place.workspace, 'half a thought'],
    ]);
    assert.ok(Date.parse(line.unsent[0]?.created ?? '') >= Date.parse(line.sessions[0]?.created ?? ''));
    const rowsOf = async (...args: readonly string[]) => (await runHere(place, ['sessions', ...args])).stdout.split('\n').length - 1;
    assert.deepEqual([await rowsOf('--cwd', '.'), await rowsOf('--cwd', '..'), await rowsOf('--all')], [3, 1, 3]);
  });
});
