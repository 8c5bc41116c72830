/** What is left of a turn that ended out of sight. The editor is a fake. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type ConversationActivity, type ConversationListEntry, Emitter, type TurnOutcome } from '../../src/core/index.js';
import { editor } from '../fakes/vscodeFake.js';
import { conversation, sessionOf, start, turn } from './drawnChat.js';
import { DoneTurns } from '../../src/extension/status/notices.js';

const blank: ConversationListEntry = {
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
const ended: TurnOutcome = { type: 'ended', stopReason: 'end_turn', silent: false };
const failed: TurnOutcome = { type: 'failed', error: { code: 'request_failed', params: {} } };

interface Window {
  readonly isOnScreen?: boolean;
  readonly isFocused?: boolean;
  readonly notice?: 'never' | 'unfocused' | 'hidden';
  readonly outcome?: TurnOutcome;
  readonly waits?: boolean;
  readonly isUnread?: boolean;
}

/** A window with one conversation, which has these activities one after another. */
function watch(activities: readonly ConversationActivity[], window: Window) {
  const { isOnScreen = false, isFocused = true, notice = 'hidden', outcome = ended, waits = false, isUnread = false } = window;
  const changes = new Emitter<void>();
  const state = conversation({
    session: sessionOf(turn, { type: 'turn_ended', at: start, turnId: 't1', outcome }),
    outbox: waits ? [{ id: 'p', at: start, content: [], held: undefined }] : [],
  });
  let entry: ConversationListEntry = { ...blank, usedAt: 2, isUnread };
  const shown: string[] = [];
  let until = 0;
  const done = new DoneTurns({
    conversations: {
      get list() {
        return [entry];
      },
      get: () => ({ conversation: { state } }),
      onListChange: (listener: () => void) => changes.event(listener),
    },
    nameOf: () => 'Parser',
    isOnScreen: () => isOnScreen,
    isFocused: () => isFocused,
    notice: () => notice,
    show: (id) => void shown.push(id),
    showAll: () => void shown.push('all'),
    told: { read: () => until, write: (at) => (until = at) },
  });
  for (const activity of activities) {
    entry = { ...entry, activity };
    changes.fire();
  }
  const reload = (): void => {
    editor.shown = [];
    done.cameBack();
  };
  return { reload, notices: () => editor.shown.map(({ text }) => text), shown };
}

beforeEach(() => Object.assign(editor, { answer: undefined, shown: [] }));

const turnEnds: Readonly<Record<string, readonly [isTold: boolean, activities: readonly ConversationActivity[], window: Window]>> = {
  'ended out of sight': [true, ['busy', 'idle'], {}],
  'failed out of sight': [true, ['busy', 'idle'], { outcome: failed }],
  'was interrupted out of sight': [true, ['busy', 'interrupted'], { outcome: { ...failed, type: 'interrupted' } }],
  'ended after a request': [true, ['needs_input', 'idle'], {}],
  'could not start': [true, ['opening', 'blocked'], { waits: true }],
  'ended long before its agent was restarted': [false, ['idle', 'opening', 'idle'], {}],
  'ended out of sight before its agent was restarted': [true, ['busy', 'idle', 'opening'], {}],
  'ended in sight': [false, ['busy', 'idle'], { isOnScreen: true }],
  'was stopped by the user': [false, ['busy', 'idle'], { outcome: { ...ended, stopReason: 'cancelled' } }],
  'is followed by the next message': [false, ['busy', 'idle'], { waits: true }],
  'asks for something': [false, ['busy', 'needs_input'], {}],
};
for (const [what, [isTold, activities, window]] of Object.entries(turnEnds))
  test(`a turn that ${what} is ${isTold ? '' : 'not '}told`, () => {
    assert.equal(watch(activities, window).notices().length, isTold ? 1 : 0);
  });

test('a notification tells of the end as the setting says', () => {
  const tells = (window: Window): boolean => {
    editor.shown = [];
    return watch(['busy', 'idle'], window).notices().length > 0;
  };
  const places = [{}, { isFocused: false }, { isOnScreen: true }, { isOnScreen: true, isFocused: false }];
  assert.deepEqual(
    (['never', 'unfocused', 'hidden'] as const).map((notice) => places.map((place) => tells({ ...place, notice }))),
    [
      [false, false, false, false],
      [false, true, false, true],
      [true, true, false, true],
    ],
  );
});

test('the notification names the agent and the conversation, and shows it', async () => {
  editor.answer = 'Show';
  const { notices, shown } = watch(['busy', 'idle'], { notice: 'hidden', outcome: failed });
  await setImmediate();
  assert.deepEqual([notices(), shown], [['Demo: "Parser" has failed'], ['c']]);
});

interface Return {
  readonly told?: number;
  readonly notice?: 'never' | 'unfocused';
  readonly isOnScreen?: boolean;
}

/** A window that opens when the turns of these conversations have ended. */
function comeBack(list: readonly ConversationListEntry[], { told = 0, notice = 'unfocused', isOnScreen = false }: Return = {}) {
  const shown: string[] = [];
  let until = told;
  const done = new DoneTurns({
    conversations: { list, get: () => undefined, onListChange: () => ({ dispose: () => {} }) },
    nameOf: ({ title }) => title ?? '',
    isOnScreen: () => isOnScreen,
    isFocused: () => true,
    notice: () => notice,
    show: (id) => void shown.push(id),
    showAll: () => void shown.push('all'),
    told: { read: () => until, write: (at) => (until = at) },
  });
  const notices = (): readonly string[] => {
    editor.shown = [];
    done.cameBack();
    return editor.shown.map(({ text }) => text);
  };
  return { notices, shown };
}
const unread: ConversationListEntry = { ...blank, isUnread: true, usedAt: 2 };

test('what ended while no window was open is told once, in one notification', async () => {
  editor.answer = 'Show';
  const one = comeBack([unread, { ...blank, id: 'd' }]);
  assert.deepEqual(one.notices(), ['Demo: "Parser" ended while you were away']);
  assert.deepEqual(one.notices(), []);
  const two = comeBack([unread, { ...unread, id: 'd', usedAt: 3 }]);
  assert.deepEqual(two.notices(), ['2 turns ended while you were away']);
  await setImmediate();
  assert.deepEqual([one.shown, two.shown], [['c'], ['all']]);
});

test('what was told before, is on screen or is archived is not told, and nothing is if the setting says so', () => {
  assert.deepEqual(comeBack([unread], { told: 2 }).notices(), []);
  assert.deepEqual(comeBack([unread], { isOnScreen: true }).notices(), []);
  assert.deepEqual(comeBack([{ ...unread, isArchived: true }]).notices(), []);
  assert.deepEqual(comeBack([unread], { notice: 'never' }).notices(), []);
});

test('what ended out of sight in an open window is not told again as if nobody had been there', () => {
  const { reload, notices } = watch(['busy', 'idle'], { notice: 'unfocused', isUnread: true });
  reload();
  assert.deepEqual(notices(), []);
});
