import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type HostMessage, hostMessageSchema } from '../../src/contract/messages.js';
import { type PageMessage, pageMessageSchema } from '../../src/contract/pageMessages.js';
import type { ChatView } from '../../src/contract/view.js';
import { Emitter, nullLogger } from '../../src/core/index.js';
import { Pacer, type PageIntent, PageLink } from '../../src/extension/pages/pageLink.js';
import { openPort } from '../../src/extension/pages/webviewPage.js';
import { emptyChatView } from './views.js';

/** A page without a browser, and a source whose view is set by the test. */
function setUp(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const posted: HostMessage[] = [];
  const fromPage = new Emitter<unknown>();
  const changed = new Emitter<void>();
  const intents: PageIntent[] = [];
  const errors: unknown[] = [];
  const focused: boolean[] = [];
  let view = emptyChatView();
  let conversationId: string | undefined;
  let draft: string | undefined = 'half a sentence';
  let searched = Promise.resolve();
  const wire = {
    postMessage: (message: unknown) => {
      posted.push(hostMessageSchema.parse(structuredClone(message)));
      return Promise.resolve(true);
    },
    onDidReceiveMessage: fromPage.event,
  };
  const link = new PageLink({
    port: openPort<HostMessage, PageMessage>(wire, pageMessageSchema, { ...nullLogger, error: (_, ...facts) => errors.push(...facts) }),
    source: {
      get conversationId() {
        return conversationId;
      },
      view: () => view,
      onChange: changed.event,
      draft: () => draft,
      findFiles: async (names) => {
        await searched;
        return names.filter((name) => name.endsWith('.md')).map((name) => ({ name, path: `/project/${name}` }));
      },
    },
    onIntent: (intent) => void intents.push(intent),
    onFocus: (isFocused) => void focused.push(isFocused),
  });
  const pacer = new Pacer(() => changed.fire());
  t.after(() => {
    link.dispose();
    pacer.dispose();
  });
  return {
    link,
    posted,
    intents,
    focused,
    errors,
    say: (message: unknown) => fromPage.fire(message),
    change(next: Partial<ChatView>) {
      view = { ...view, ...next };
      pacer.request();
    },
    searchUntil: (over: Promise<void>) => void (searched = over),
    setDraft: (text: string | undefined) => void (draft = text),
    show(id: string) {
      conversationId = id;
      changed.fire();
    },
    frame: () => t.mock.timers.tick(16),
    types: () => posted.map(({ type }) => type),
  };
}

const wait = (text: string): ChatView['wait'] => ({ text, since: 1, buttons: [] });

test('a page learns which names are files, unless it shows another conversation by then', async (t) => {
  const { say, posted, intents, searchUntil, show } = setUp(t);
  say({ type: 'ready' });
  say({ type: 'lookUp', names: ['a.md', 'b.x'] });
  await new Promise(setImmediate);
  assert.deepEqual(posted.slice(1), [{ type: 'files', files: [{ name: 'a.md', path: '/project/a.md' }] }]);
  let end = (): void => {};
  searchUntil(new Promise((resolve) => (end = resolve)));
  say({ type: 'lookUp', names: ['c.md'] });
  show('another');
  end();
  await new Promise(setImmediate);
  assert.deepEqual(
    posted.slice(2).map(({ type }) => type),
    ['snapshot'],
  );
  assert.deepEqual(intents, []);
});

test('a page has the keyboard focus until it reports otherwise or is closed', (t) => {
  const { link, say, focused, intents } = setUp(t);
  say({ type: 'focused', focused: true });
  say({ type: 'focused', focused: false });
  say({ type: 'focused', focused: true });
  link.suspend();
  assert.deepEqual(focused, [true, false, true, false]);
  assert.deepEqual(intents, []);
});

test('a page gets drafts of other pages of its conversation; before it is ready, its snapshot has them', (t) => {
  const { link, say, show, posted } = setUp(t);
  show('one');
  link.tellDraft('one', 'too early');
  say({ type: 'ready' });
  link.tellDraft('one', 'half a thought');
  link.tellDraft('two', 'of another');
  assert.deepEqual(
    posted.map((message) => (message.type === 'draft' ? message.text : message.type)),
    ['snapshot', 'half a thought'],
  );
});

test('nothing is posted before the page is ready', (t) => {
  const { link, posted, change, frame } = setUp(t);
  change({ wait: wait('one') });
  link.tell({ type: 'focus', target: 'composer' });
  frame();
  assert.deepEqual(posted, []);
});

test('a ready page gets a snapshot with the draft, followed by queued messages', (t) => {
  const { link, posted, say, types } = setUp(t);
  link.tell({ type: 'focus', target: 'prompt' });
  say({ type: 'ready' });
  assert.deepEqual(types(), ['snapshot', 'focus']);
  assert.ok(posted[0]?.type === 'snapshot' && posted[0].draft === 'half a sentence');
});

test('changes within a frame are one message, and revisions increase by one', (t) => {
  const { posted, say, change, frame } = setUp(t);
  say({ type: 'ready' });
  change({ wait: wait('one') });
  change({ wait: wait('two') });
  frame();
  change({ wait: null });
  frame();
  assert.deepEqual(posted.slice(1), [
    { type: 'patch', revision: 2, ops: [{ op: 'wait', wait: wait('two') }] },
    { type: 'patch', revision: 3, ops: [{ op: 'wait', wait: null }] },
  ]);
});

test('a change reverted within a frame sends no message', (t) => {
  const { posted, say, change, frame } = setUp(t);
  say({ type: 'ready' });
  change({ wait: wait('one') });
  change({ wait: null });
  frame();
  assert.equal(posted.length, 1);
});

test('a page that missed a revision gets a snapshot', (t) => {
  const { say, change, frame, types } = setUp(t);
  say({ type: 'ready' });
  change({ wait: wait('one') });
  frame();
  say({ type: 'resync' });
  assert.deepEqual(types(), ['snapshot', 'patch', 'snapshot']);
});

test('a hidden page gets nothing until it is visible again', (t) => {
  const { link, posted, say, change, frame, types } = setUp(t);
  say({ type: 'ready' });
  link.suspend();
  change({ wait: wait('one') });
  frame();
  assert.equal(posted.length, 1);
  say({ type: 'ready' });
  assert.deepEqual(types(), ['snapshot', 'snapshot']);
});

test('another conversation is sent at once as a new snapshot', (t) => {
  const { posted, say, show, change, frame, types } = setUp(t);
  show('one');
  say({ type: 'ready' });
  change({ wait: wait('one') });
  frame();
  show('two');
  assert.deepEqual(types(), ['snapshot', 'patch', 'snapshot']);
  assert.deepEqual(
    posted.flatMap((message) => (message.type === 'snapshot' ? [message.conversation] : [])),
    ['one', 'two'],
  );
});

test('a message from a page has the conversation that it is about', (t) => {
  const { intents, say } = setUp(t);
  say({ type: 'send', id: 'p', text: 'hello', conversation: 'one' });
  assert.deepEqual(intents, [{ type: 'send', id: 'p', text: 'hello', conversation: 'one' }]);
});

test('only messages of the contract are accepted', (t) => {
  const { intents, say } = setUp(t);
  say({ type: 'executeCommand', command: 'workbench.action.quit' });
  say({ type: 'send' });
  say('send');
  say({ type: 'action', action: 'runAnything' });
  say({ type: 'send', id: 'p', text: 'hello' });
  assert.deepEqual(intents, [{ type: 'send', id: 'p', text: 'hello' }]);
});

test('an error in the page is logged', (t) => {
  const { errors, intents, say } = setUp(t);
  say({ type: 'pageError', message: 'x is not a function' });
  assert.deepEqual([errors, intents], [['x is not a function'], []]);
});

test('a draft that is not known yet follows the snapshot, after what the conversation contains by then', (t) => {
  const { link, posted, say, show, setDraft, change, types } = setUp(t);
  setDraft(undefined);
  show('one');
  say({ type: 'ready' });
  assert.deepEqual(types(), ['snapshot']);
  assert.equal(posted[0]?.type === 'snapshot' && posted[0].draft, undefined);
  change({ header: { agent: 'agentao', state: 'ready', stateText: 'ready' } });
  link.tellDraft('two', 'of another conversation');
  link.tellDraft('one', 'half a sentence');
  assert.deepEqual(types(), ['snapshot', 'patch', 'draft']);
});
