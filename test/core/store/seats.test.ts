import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type ConversationClient, isSettled } from '../../../src/core/index.js';
import { lineOf, reached, run, said } from '../conversation/frontEnd.js';
import { type LibraryHost, openLibraryHost } from './libraryHost.js';
import { readConversation } from '../../../src/core/journal/journalStore.js';
import { journalFolder } from '../../../src/core/store/stateFolder.js';
import { openStoreLab, place, summary, writeJournal } from './storeLab.js';
import { keepAlive, openTwo, type Other, send } from './twoProcesses.js';

describe('a conversation that is reopened while it is being closed', () => {
  it('it is in use only here, and other processes see that', async (t) => {
    const { here, client } = await openTwo(t);
    await run(client, send('say one'));
    await reached(client, isSettled);
    const closing = here.conversations.close('one');
    const again = here.open('one');
    await run(again, { type: 'open' });
    await closing;
    await run(again, send('say two'));
    await reached(again, isSettled);
    assert.deepEqual(said(again.state), ['user: say one', 'agent: one', 'end ended', 'user: say two', 'agent: two', 'end ended']);
    const other = openLibraryHost({ state: here.state, workspace: client.state.cwd, program: 'terminal' });
    keepAlive(t, other);
    await other.store.load();
    assert.deepEqual(other.store.seats.elsewhere('one'), { program: 'editor', isBusy: false });
  });

  it('it shows all messages', async (t) => {
    const { here, client } = await openTwo(t);
    await run(client, send('wait'));
    await reached(client, (state) => said(state).at(-1) === 'tool');
    const closing = here.conversations.close('one');
    const again = here.open('one');
    await run(again, { type: 'open' });
    await closing;
    await run(again, send('say two'));
    await reached(again, isSettled);
    const seen = said(again.state);
    // The notice says that the command ran unasked, which counts without an end, too.
    assert.deepEqual(seen, ['user: wait', 'tool', 'notice', 'end interrupted', 'user: say two', 'agent: two', 'end ended']);
    const { agentId, sessionId } = again.state.session === undefined ? assert.fail() : { agentId: 'obedient', ...again.state.session };
    await here.conversations.close('one');
    assert.deepEqual((await readConversation(here.store.journals, agentId, sessionId))?.items.map(lineOf), seen);
  });
});

describe('a conversation that was closed here while another one keeps its agent running', () => {
  it('it continues with what another process added meanwhile', async (t) => {
    const { here, client, begin } = await openTwo(t);
    const neighbor = here.open('neighbor');
    await run(neighbor, send('say hello'));
    await run(client, send('say one'));
    await reached(client, isSettled);
    await reached(neighbor, isSettled);
    await here.conversations.close('one');
    const other = begin();
    other.execute(send('say two'));
    await other.until(({ said: words }) => words.includes('agent: two') && words.at(-1) === 'end ended');
    await other.end();
    const again = here.open('one');
    await run(again, send('say three'));
    await reached(again, (state) => said(state).includes('agent: three') && isSettled(state));
    const seen = ['one', 'two', 'three'].flatMap((words) => [`user: say ${words}`, `agent: ${words}`, 'end ended']);
    assert.deepEqual(said(again.state), seen);
    const { agentId, sessionId } = { agentId: 'obedient', ...(again.state.session ?? assert.fail()) };
    await here.conversations.close('one');
    assert.deepEqual((await readConversation(here.store.journals, agentId, sessionId))?.items.map(lineOf), seen);
    assert.equal(neighbor.state.live, true);
  });
});

describe('a conversation that another process deletes while it is shown here', () => {
  const wordsOf = ['user: say one', 'agent: one', 'end ended', 'user: say two', 'agent: two', 'end ended'];

  /** Another window uses the conversation, closes it, and deletes it. */
  async function deleteElsewhere(
    t: TestContext,
  ): Promise<{ readonly here: LibraryHost; readonly there: LibraryHost; readonly client: ConversationClient }> {
    const { here, client } = await openTwo(t);
    await here.conversations.listFolders([client.state.cwd]);
    const there = openLibraryHost({ state: here.state, workspace: client.state.cwd, program: 'editor', env: { OBEDIENT_UNIQUE_IDS: '1' } });
    keepAlive(t, there);
    await there.conversations.listFolders([client.state.cwd]);
    const other = there.open('one');
    await run(other, send('say one'));
    await reached(other, isSettled);
    await there.conversations.close('one');
    await reached(client, (state) => said(state).length === 3 && state.elsewhere === undefined);
    const result = await there.conversations.execute({ type: 'delete', id: 'one' });
    assert.equal(result.ok, true);
    await reached(client, ({ isDeleted }) => isDeleted);
    return { here, there, client };
  }

  it('it says so, and the next prompt restores it, so that it is not removed when that process ends', async (t) => {
    const { here, there, client } = await deleteElsewhere(t);
    await run(client, send('say two'));
    await reached(client, isSettled);
    assert.deepEqual([said(client.state), client.state.isDeleted], [wordsOf, false]);
    await there.end();
    await here.conversations.close('one');
    assert.equal(here.store.get('one')?.summary?.firstWords, 'say one');
    const again = here.open('one');
    await reached(again, (state) => said(state).length > 0);
    assert.deepEqual(said(again.state), wordsOf);
  });

  it('it stays on screen when it is removed, and later messages are saved', async (t) => {
    const { here, there, client } = await deleteElsewhere(t);
    await there.end();
    assert.deepEqual(await readdir(journalFolder(here.state)), []);
    assert.deepEqual([said(client.state), client.state.isDeleted], [wordsOf.slice(0, 3), true]);
    await run(client, send('say two'));
    await reached(client, isSettled);
    assert.deepEqual([said(client.state), client.state.isDeleted], [wordsOf, false]);
    await here.conversations.close('one');
    const again = here.open('one');
    await reached(again, (state) => said(state).length > 0);
    assert.deepEqual(said(again.state), wordsOf.slice(3));
  });
});

describe('a conversation in use by another process', () => {
  it('it is shown with its location and followed to the end of its turn', async (t) => {
    const { client, begin, here } = await openTwo(t);
    const other = begin();
    other.execute(send('say one'));
    await reached(client, (state) => state.elsewhere?.isBusy === false && said(state).join() === 'user: say one,agent: one,end ended');
    other.execute(send('wait'));
    await reached(client, (state) => state.elsewhere?.isBusy === true && said(state).at(-1) === 'tool');
    assert.deepEqual(client.state.elsewhere, { program: 'terminal', isBusy: true });
    assert.deepEqual([client.state.live, said(client.state).slice(-2)], [false, ['user: wait', 'tool']]);
    await here.conversations.listFolders([client.state.cwd]);
    assert.deepEqual(
      here.conversations.state.conversations.map(({ activity, elsewhere }) => [activity, elsewhere?.isBusy]),
      [['elsewhere', true]],
    );
    other.execute({ type: 'cancel', scope: 'turn' });
    await reached(client, ({ elsewhere, session }) => elsewhere?.isBusy === false && session?.turn.type === 'idle');
    await other.end();
    await reached(client, ({ elsewhere }) => elsewhere === undefined);
    assert.deepEqual(said(client.state).slice(-2), ['tool', 'end ended']);
  });

  it('the next prompt takes it over, and the other process gets it back in the same way', async (t) => {
    const { client, begin } = await openTwo(t);
    const other = begin();
    other.execute(send('say one'));
    await reached(client, (state) => said(state).length === 3 && state.elsewhere?.isBusy === false);
    await run(client, send('say two'));
    await reached(client, (state) => said(state).at(-1) === 'end ended' && said(state).length === 6);
    assert.deepEqual([client.state.live, client.state.elsewhere], [true, undefined]);
    const there = await other.until(({ said: words }) => words.length === 6);
    assert.deepEqual([there.live, there.elsewhere], [false, { program: 'editor', isBusy: false }]);
    other.execute(send('say three'));
    await reached(client, (state) => said(state).length === 9 && state.elsewhere?.isBusy === false);
    assert.deepEqual(said(client.state), [
      ...['user: say one', 'agent: one', 'end ended', 'user: say two', 'agent: two', 'end ended'],
      ...['user: say three', 'agent: three', 'end ended'],
    ]);
  });

  it('during a turn there, it is only taken over on demand, and a prompt waits for the end of that turn', async (t) => {
    const { client, begin } = await openTwo(t);
    const other = begin();
    other.execute(send('wait'));
    await reached(client, (state) => state.elsewhere?.isBusy === true && said(state).at(-1) === 'tool');
    const refused = await client.execute({ type: 'continue_here' });
    assert.deepEqual(refused.ok ? undefined : refused.error.params, { reason: 'open_elsewhere', program: 'terminal' });
    await run(client, send('say two'));
    await reached(client, ({ blocker }) => blocker?.error.params.reason === 'open_elsewhere');
    other.execute({ type: 'cancel', scope: 'turn' });
    await reached(client, (state) => said(state).includes('agent: two'));
    assert.deepEqual(said(client.state).slice(0, 3), ['user: wait', 'tool', 'end ended']);
  });

  it('it is taken over from a running turn after the user confirmed', async (t) => {
    const { client, begin } = await openTwo(t);
    const other = begin();
    other.execute(send('wait'));
    await reached(client, (state) => state.elsewhere?.isBusy === true && said(state).at(-1) === 'tool');
    await run(client, { type: 'continue_here', stopsTurn: true });
    assert.deepEqual([client.state.live, said(client.state)], [true, ['user: wait', 'tool', 'end ended']]);
    await other.until(({ live, elsewhere }) => !live && elsewhere !== undefined);
  });

  it('after that process was killed, it is free, and its turn was interrupted', async (t) => {
    const { client, begin } = await openTwo(t);
    const other = begin();
    other.execute(send('wait'));
    // If it were killed earlier, it would not have reported anything.
    await other.until(({ said: words }) => words.includes('tool'));
    await reached(client, ({ elsewhere }) => elsewhere?.isBusy === true);
    other.kill('SIGKILL');
    await reached(client, (state) => state.elsewhere === undefined && said(state).at(-1) === 'end interrupted');
    await run(client, send('say two'));
    await reached(client, (state) => said(state).includes('agent: two'));
  });

  it('it is shown even if it was saved only when that process was about to leave it', async (t) => {
    const lab = await openStoreLab(t);
    const here = openLibraryHost({ state: lab.state, workspace: lab.workspace, program: 'editor' });
    keepAlive(t, here);
    const client = here.open('one');
    await here.conversations.listFolders([lab.workspace]);
    const there = lab.open({ program: 'terminal', leaseTiming: { signMs: 100 } });
    await there.load();
    await there.seats.claim('one', { stopsTurn: false, signal: new AbortController().signal });
    await reached(client, ({ elsewhere }) => elsewhere?.program === 'terminal');
    await writeJournal(there, lab.workspace, 's1', 'said there');
    there.seats.release('one');
    await reached(client, ({ elsewhere }) => elsewhere === undefined);
    there.rememberPlace('one', lab.workspace, place('s1'), summary('said there'));
    await reached(client, (state) => said(state).includes('user: said there'));
  });

  it('it is free if a power loss emptied the lease', async (t) => {
    const lab = await openStoreLab(t);
    const folder = path.join(lab.state, 'leases');
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'one.json'), '');
    const { seats } = lab.open();
    assert.equal(await seats.claim('one', { stopsTurn: false, signal: new AbortController().signal }), true);
    assert.match(await readFile(path.join(folder, 'one.json'), 'utf8'), /"format":"acp-host-lease"/);
  });

  it('it is taken over if that process is silent, which finds this out later', async (t) => {
    const { client, begin } = await openTwo(t);
    const other = begin();
    other.execute(send('say one'));
    await reached(client, (state) => said(state).length === 3 && state.elsewhere?.isBusy === false);
    other.kill('SIGSTOP');
    await reached(client, ({ elsewhere }) => elsewhere === undefined);
    await run(client, send('say two'));
    await reached(client, (state) => said(state).length === 6);
    other.kill('SIGCONT');
    const there = await other.until(
      ({ said: words, live, elsewhere }) => !live && words.includes('agent: two') && elsewhere?.isBusy === false,
    );
    assert.deepEqual(there.elsewhere, { program: 'editor', isBusy: false });
  });

  /** Its owner is suspended during a turn that its agent continues, and this process continues the conversation. */
  async function passOver(
    t: TestContext,
  ): Promise<{ readonly client: ConversationClient; readonly other: Other; readonly here: LibraryHost }> {
    const { client, begin, here } = await openTwo(t);
    const other = begin();
    other.execute(send('drip frozen'));
    await reached(client, (state) => state.elsewhere?.isBusy === true && said(state).some((line) => line.startsWith('agent: frozen')));
    other.kill('SIGSTOP');
    await run(client, send('say two'));
    await reached(client, (state) => said(state).at(-1) === 'end ended' && said(state).includes('agent: two'));
    return { client, other, here };
  }

  /** The saved conversation without the text of the first turn, whose length is not known. */
  async function savedIn({ store }: LibraryHost): Promise<readonly string[]> {
    const [{ place: at } = assert.fail('nothing is saved')] = store.all;
    const state = at && (await readConversation(store.journals, at.agentId, at.sessionId));
    return (state?.items ?? []).map((item) => lineOf(item).replace(/(frozen )+/, 'frozen'));
  }

  const whole = ['user: drip frozen', 'agent: frozen', 'end interrupted', 'user: say two', 'agent: two', 'end ended'];

  it('it stays intact if that process was suspended during a turn and its agent continued', async (t) => {
    const { client, other, here } = await passOver(t);
    other.kill('SIGCONT');
    const there = await other.until(
      ({ said: words, live, passedOver }) => !live && words.includes('agent: two') && passedOver !== undefined,
    );
    assert.deepEqual(
      [there.elsewhere, there.passedOver],
      [
        { program: 'editor', isBusy: false },
        { program: 'editor', wasBusy: true },
      ],
    );
    assert.deepEqual(await savedIn(here), whole);
    await run(client, send('say three'));
    await reached(client, (state) => said(state).includes('agent: three') && said(state).at(-1) === 'end ended');
    assert.deepEqual(await savedIn(here), [...whole, 'user: say three', 'agent: three', 'end ended']);
    // What the resumed process wrote is from before that.
    const [first = [], second = []] = timesByWriter(await readFiles(here));
    assert.ok(Math.max(...first) < Math.min(...second));
  });

  it('the resumed process gets it back with its next prompt', async (t) => {
    const { client, other, here } = await passOver(t);
    other.kill('SIGCONT');
    other.execute(send('say three'));
    const there = await other.until(({ said: words, live }) => live && words.includes('agent: three') && words.at(-1) === 'end ended');
    assert.equal(there.passedOver, undefined);
    await reached(client, (state) => said(state).includes('agent: three') && state.elsewhere?.isBusy === false);
    assert.deepEqual(await savedIn(here), [...whole, 'user: say three', 'agent: three', 'end ended']);
  });

  it('the resumed process does not write to it even if the other one has left it again', async (t) => {
    const { other, here } = await passOver(t);
    await here.conversations.close('one');
    other.kill('SIGCONT');
    await other.until(({ said: words, live, passedOver }) => !live && words.includes('agent: two') && passedOver !== undefined);
    assert.deepEqual(await savedIn(here), whole);
    other.execute(send('say three'));
    await other.until(({ said: words, live }) => live && words.includes('agent: three') && words.at(-1) === 'end ended');
    await other.end();
    assert.deepEqual(await savedIn(here), [...whole, 'user: say three', 'agent: three', 'end ended']);
  });
});

async function readFiles({ state }: LibraryHost): Promise<string> {
  const folder = journalFolder(state);
  const names = (await readdir(folder)).sort();
  return (await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')))).join('');
}

/** The times of the events of each writer. */
function timesByWriter(text: string): readonly (readonly number[])[] {
  const times = new Map<string, number[]>();
  let writer = '';
  for (const line of text.split('\n')) {
    writer = /^\{"writer":"(.*)"\}$/.exec(line)?.[1] ?? writer;
    const at = /"at":(\d+)/.exec(line)?.[1];
    if (writer !== '' && at !== undefined) times.set(writer, [...(times.get(writer) ?? []), Number(at)]);
  }
  return [...times.values()];
}
