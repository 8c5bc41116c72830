/** Prompts that wait in the window that works in a conversation, while another window shows it, too. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { type ConversationClient, type ConversationState, isSettled } from '../../../src/core/index.js';
import { isWaiting, reached, run, said, textIn } from '../conversation/frontEnd.js';
import { type LibraryHost, openLibraryHost } from './libraryHost.js';
import { openStoreLab } from './storeLab.js';
import { keepAlive, send } from './twoProcesses.js';

const waitingIn = ({ outbox }: ConversationState): readonly string[] => outbox.map(({ content }) => textIn(content));

/** A window with a turn that runs and a prompt that waits, and another one that has just opened the conversation. */
async function openBoth(t: TestContext): Promise<Record<'first' | 'second', { window: LibraryHost; client: ConversationClient }>> {
  const lab = await openStoreLab(t);
  const openWindow = (): LibraryHost => {
    const window = openLibraryHost({ ...lab, program: 'editor', env: { OBEDIENT_UNIQUE_IDS: '1' } });
    keepAlive(t, window);
    return window;
  };
  const [window, other] = [openWindow(), openWindow()];
  const client = window.open('one');
  await run(client, send('wait'));
  await run(client, send('say later'));
  await reached(client, isWaiting);
  const second = other.open('one');
  await reached(second, ({ elsewhere, session }) => elsewhere !== undefined && (session?.items.length ?? 0) > 1);
  return { first: { window, client }, second: { window: other, client: second } };
}

it('the other window does not show them as its own, and what was sent is not sent again', async (t) => {
  const { first, second } = await openBoth(t);
  assert.deepEqual(waitingIn(second.client.state), []);
  await run(first.client, { type: 'cancel', scope: 'turn' });
  await reached(first.client, (state) => said(state).includes('agent: later') && isSettled(state));
  await run(second.client, send('say third'));
  await reached(second.client, (state) => said(state).includes('agent: third') && isSettled(state));
  assert.deepEqual(
    said(second.client.state).filter((entry) => entry.startsWith('user')),
    ['user: wait', 'user: say later', 'user: say third'],
  );
  assert.deepEqual([waitingIn(first.client.state), waitingIn(second.client.state)], [[], []]);
});

it('they are there once the other window takes the conversation, and what one window sends is gone in the other', async (t) => {
  const { first, second } = await openBoth(t);
  await run(second.client, { type: 'continue_here', stopsTurn: true });
  await reached(second.client, ({ live, outbox }) => live && outbox.length > 0);
  assert.deepEqual([waitingIn(first.client.state), waitingIn(second.client.state)], [['say later'], ['say later']]);
  await run(second.client, { type: 'release_held' });
  await reached(second.client, (state) => said(state).includes('agent: later') && isSettled(state));
  await reached(first.client, (state) => said(state).includes('agent: later'));
  assert.deepEqual([waitingIn(first.client.state), waitingIn(second.client.state)], [[], []]);
});

it('they are there once the first window is closed', async (t) => {
  const { first, second } = await openBoth(t);
  await first.window.end();
  await reached(second.client, ({ elsewhere, outbox }) => elsewhere === undefined && outbox.length > 0);
  assert.deepEqual(
    second.client.state.outbox.map(({ content, held }) => [textIn(content), held]),
    [['say later', 'turn_interrupted']],
  );
});

it('one that is sent while the other window takes the conversation is sent as well', async (t) => {
  const { first, second } = await openBoth(t);
  await run(first.client, { type: 'cancel', scope: 'everything' });
  await reached(first.client, isSettled);
  const sending = new Promise<unknown>((resolve) => {
    // By then, the agent of this window is being ended.
    first.window.store.seats.onWanted(() => setImmediate(() => resolve(run(first.client, send('say meanwhile')))));
  });
  // The prompt may take the conversation back before the other window has it.
  await second.client.execute({ type: 'continue_here' });
  await sending;
  await reached(first.client, (state) => said(state).includes('agent: meanwhile') && isSettled(state));
  assert.deepEqual(waitingIn(first.client.state), []);
});
