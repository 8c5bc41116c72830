/** A conversation that is closed before it was restored from disk. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { isSettled } from '../../../src/core/index.js';
import { reached, run, textIn } from '../conversation/frontEnd.js';
import { type LibraryHost, openLibraryHost } from './libraryHost.js';
import { openStoreLab } from './storeLab.js';
import { keepAlive, send } from './twoProcesses.js';

async function openBoth(t: TestContext): Promise<{ readonly workspace: string; readonly here: LibraryHost; readonly there: LibraryHost }> {
  const { state, workspace } = await openStoreLab(t);
  const here = openLibraryHost({ state, workspace, program: 'editor' });
  keepAlive(t, here);
  const there = openLibraryHost({ state, workspace, program: 'terminal' });
  keepAlive(t, there);
  await there.store.load();
  return { workspace, here, there };
}

/** Resolves when the conversation is open elsewhere, or no longer. */
async function untilOpen({ store: { seats } }: LibraryHost, isOpen: boolean): Promise<void> {
  while ((seats.elsewhere('one') !== undefined) !== isOpen)
    await new Promise<void>((resolve) => {
      const listening = seats.onChange(() => {
        listening.dispose();
        resolve();
      });
    });
}

describe('a conversation that is closed before it was restored', () => {
  it('a prompt for it is saved or refused, and others do not see it as open', async (t) => {
    const { workspace, here, there } = await openBoth(t);
    const first = here.open('one');
    await run(first, send('say one'));
    await reached(first, isSettled);
    await here.conversations.close('one');
    const sent = here.conversations.open({ cwd: workspace, id: 'one' }).execute(send('say two'));
    await here.conversations.close('one');
    const { ok } = await sent;
    await untilOpen(there, false);
    const left = (await there.store.recall('one'))?.outbox.map(({ content }) => textIn(content)) ?? [];
    assert.deepEqual(left, ok ? ['say two'] : []);
  });

  it('nothing of one that is open elsewhere is read any more', async (t) => {
    const { workspace, here, there } = await openBoth(t);
    const client = here.open('one');
    await run(client, send('say one'));
    await reached(client, isSettled);
    await untilOpen(there, true);
    const readers = new Set<object>();
    const { store } = there;
    const follow = store.follow.bind(store);
    t.mock.method(store, 'follow', (...args: Parameters<typeof follow>) => {
      const reading = follow(...args);
      readers.add(reading);
      return { ...reading, dispose: () => (readers.delete(reading), reading.dispose()) };
    });
    there.conversations.open({ cwd: workspace, id: 'one' });
    await there.conversations.close('one');
    assert.equal(readers.size, 0);
  });
});
