/** What the chat view shows after the conversation in it was deleted. The editor is a fake. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { keepShown } from '../../src/extension/conversation/openConversations.js';
import { reached, say } from '../core/conversation/frontEnd.js';
import { editor } from '../fakes/vscodeFake.js';
import { openWindow as open } from './openWindow.js';
import { createListActions } from '../../src/extension/actions/listActions.js';

/** A window that shows a conversation in which something was said, as in another one. */
async function openWindow(t: TestContext) {
  const { conversations, sources, folder } = await open(t, { env: { OBEDIENT_UNIQUE_IDS: '1' } });
  let shownId: string | undefined;
  const memory = {
    shownIn: () => shownId,
    show: (_: string, id: string) => void (shownId = id),
    lastShown: () => folder,
  };
  conversations.onShown(() => keepShown(conversations, memory));
  const [shown, other] = [conversations.open(folder), conversations.open(folder)];
  conversations.show(shown);
  await say(shown.conversation, 'say one');
  await say(other.conversation, 'say two');
  const later: (() => Promise<unknown>)[] = [];
  const fail = (): never => assert.fail('no page was expected');
  const { deleteConversation } = createListActions(
    {
      parts: {
        conversations,
        sources,
        pages: { focus: fail, openTab: fail, openInPlaceOf: fail },
        report: async (work: () => Promise<unknown>) => void later.push(work),
      },
      ask: (question: () => unknown) => question(),
      confirm: () => Promise.resolve(true),
    } as never,
    () => shown.id,
  );
  const runLater = (): Promise<unknown> => Promise.all(later.splice(0).map((work) => work()));
  return { conversations, sources, shown, deleteConversation, runLater };
}

test('an agent that runs for another conversation is there for the empty one that follows', async (t) => {
  const { conversations, shown, deleteConversation, runLater } = await openWindow(t);
  await deleteConversation();
  await runLater();
  const next = conversations.shown ?? assert.fail('nothing is shown');
  assert.notEqual(next.id, shown.id);
  await reached(next.conversation, ({ status, session }) => status.state === 'ready' && session?.items.length === 0);
});

for (const draft of ['', 'something else'])
  test(`Undo ${draft === '' ? 'shows it again' : 'leaves the user with the message of the next one'}`, async (t) => {
    const { conversations, sources, shown, deleteConversation, runLater } = await openWindow(t);
    Object.assign(editor, { answer: 'Undo' });
    await deleteConversation();
    const next = conversations.shown ?? assert.fail('nothing is shown');
    sources.of(next).keepDraft(draft);
    await runLater();
    assert.equal(conversations.shown?.id, draft === '' ? shown.id : next.id);
    assert.ok(conversations.listed(shown.id));
  });
