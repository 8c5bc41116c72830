/** What an agent does after its turn, as the chat and the Conversations view show it. The editor is a fake. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConversationListEntry, SessionEvent, ToolPatch } from '../../src/core/index.js';
import { listRow } from '../../src/extension/list/listRow.js';
import type { ActionScope } from '../../src/extension/actions/actionScope.js';
import { say } from '../core/conversation/frontEnd.js';
import { openWindow } from './openWindow.js';
import { conversation, draw, sessionOf, start, turn } from './drawnChat.js';
import { createAgentActions } from '../../src/extension/actions/agentActions.js';
import { createListActions } from '../../src/extension/actions/listActions.js';

const outcome = { type: 'ended', stopReason: 'end_turn', silent: false } as const;
const end: SessionEvent = { type: 'turn_ended', at: start, turnId: 't1', outcome };
const says = (text: string): SessionEvent => ({ type: 'message', at: start, role: 'agent', content: { type: 'text', text } });
const child = (status: 'running' | 'idle', canStop = true): SessionEvent => ({
  type: 'subagent',
  at: start,
  agentId: 'k',
  patch: { title: 'Explore', status, canStop },
});
const tool = (id: string, patch: ToolPatch): SessionEvent => ({ type: 'tool', at: start, id, toolCallId: id, patch });
const server = tool('c', {
  title: 'npm run dev',
  status: 'in_progress',
  content: [{ type: 'terminal', terminalId: 't', output: '', runs: true }],
});

test('what the agent says after its turn has a heading, once, and none after the next prompt', () => {
  const next: SessionEvent = { ...turn, turnId: 't2' } as SessionEvent;
  const { view } = draw({
    session: sessionOf(turn, child('running'), says('Done.'), end, says('And '), says('this.'), server, next, says('Yes.')),
  });
  assert.deepEqual(
    view.items.map((item) => (item.kind === 'notice' ? item.title : item.kind)),
    ['user', 'subagent', 'agent', 'turn_end', 'After the turn', 'agent', 'tool', 'user', 'agent'],
  );
});

test('what still works is shown with its age, and with Stop where something can be stopped', () => {
  const waits = (...events: readonly SessionEvent[]) => draw({ session: sessionOf(turn, ...events) }).view.wait;
  const stop = [{ action: 'stop', label: 'Stop' }];
  assert.deepEqual(waits(child('running'), end), { text: 'Sub-agent · Explore still works', since: start, buttons: stop });
  assert.deepEqual(waits(child('running', false), end)?.buttons, []);
  assert.deepEqual(waits(server, end), { text: 'npm run dev still runs', since: start, buttons: stop });
  assert.equal(waits(child('running'), server, end)?.text, '1 sub-agent and 1 command still run');
  assert.equal(waits(child('running'), child('idle'), end), null);
  assert.equal(draw({ session: sessionOf(turn, child('running'), end), live: false }).view.wait, null);
});

test('an agent that goes on by itself can be stopped until it has been silent for a while', () => {
  const session = sessionOf(turn, says('Done.'), end, says('One more thing.'));
  const { view, wakeAt } = draw({ session });
  assert.deepEqual(view.wait, { text: 'agentao is still working', since: start, buttons: [{ action: 'stop', label: 'Stop' }] });
  assert.equal(draw({ session }, { now: wakeAt ?? 0 }).view.wait, null);
});

const entry: ConversationListEntry = {
  id: 'c',
  cwd: '/project',
  folder: '/project',
  agent: { id: 'demo', label: 'Demo' },
  sessionId: 's',
  title: 'Parser',
  firstWords: undefined,
  usedAt: 0,
  isPinned: false,
  isArchived: false,
  isUnread: false,
  isOnHold: false,
  isBranch: false,
  leavesOutOpenFile: false,
  activity: 'idle',
  since: undefined,
};

test('the row says that something still works', () => {
  assert.equal(listRow({ ...entry, worksLate: true }, 0).mark?.words, 'still working');
  assert.equal(listRow({ ...entry, worksLate: true, isUnread: true }, 0).mark?.words, 'done');
});

test('to restart the agent or to delete the conversation asks before it ends what still works', async (t) => {
  const { conversations, sources, folder } = await openWindow(t, { agent: 'goesOnAfterItsTurn' });
  const here = conversations.open(folder);
  await say(here.conversation, 'child');
  const questions: (readonly string[])[] = [];
  let answer = false;
  const confirm: ActionScope['confirm'] = (...question) => {
    questions.push(question);
    return Promise.resolve(answer);
  };
  const restarts: string[] = [];
  const run = ({ type }: { readonly type: string }): Promise<void> => Promise.resolve(void restarts.push(type));
  const scope: Partial<ActionScope> = { current: () => here, run, confirm };
  const { restartAgent, forceStop } = createAgentActions({ ...scope, parts: { conversations } } as ActionScope);
  const fail = (): never => assert.fail('no page was expected');
  const { deleteConversation } = createListActions(
    {
      parts: { conversations, sources, pages: { focus: fail, openTab: fail, openInPlaceOf: fail }, report: () => Promise.resolve() },
      ask: (question: () => unknown) => question(),
      confirm,
    } as never,
    () => here.id,
  );
  await restartAgent();
  await forceStop();
  await deleteConversation();
  assert.deepEqual(questions, [
    ['Restart Obedient?', 'Sub-agent · Explore ends with it.', 'Restart'],
    ['Force Stop Obedient?', 'Sub-agent · Explore ends with it.', 'Force Stop'],
    ['Delete "child"?', 'Sub-agent · Explore ends with it.', 'Delete Anyway'],
  ]);
  assert.deepEqual([restarts, conversations.get(here.id)], [[], here]);
  answer = true;
  await restartAgent();
  await forceStop();
  await deleteConversation();
  assert.deepEqual([restarts, conversations.get(here.id)], [['restart', 'force_stop'], undefined]);
});

test('Force Stop asks about what works beside its turn, in this conversation or in one that this window has not opened', async () => {
  const questions: (readonly string[])[] = [];
  const next: SessionEvent = { ...turn, turnId: 't2' } as SessionEvent;
  const forceStop = async (late: boolean, other: Partial<ConversationListEntry> = {}): Promise<void> => {
    const session = sessionOf(turn, child(late ? 'running' : 'idle'), end, next, child(late ? 'running' : 'idle'));
    const scope = {
      current: () => ({ id: 'c', folder: { path: '/project', name: 'project' }, conversation: { state: conversation({ session }) } }),
      run: () => Promise.resolve(),
      confirm: (...question: readonly string[]) => Promise.resolve(questions.push(question) > 0),
      parts: {
        conversations: {
          list: [entry, { ...entry, id: 'd', title: 'Lexer', agent: { id: 'agentao', label: 'agentao' }, ...other }],
          get: () => undefined,
        },
      },
    };
    await createAgentActions(scope as never).forceStop();
  };
  await forceStop(false);
  await forceStop(false, { worksLate: true, agent: { id: 'another', label: 'Another' } });
  assert.equal(questions.length, 0);
  await forceStop(true);
  await forceStop(false, { worksLate: true });
  await forceStop(false, { activity: 'busy' });
  assert.deepEqual(
    questions.map(([, detail]) => detail),
    [
      'Sub-agent · Explore ends with it.',
      'What runs in other conversations is interrupted: "Lexer".',
      'What runs in other conversations is interrupted: "Lexer".',
    ],
  );
});
