import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noFacts } from '../../src/core/engine/contract.js';
import { type ConversationListEntry, Emitter } from '../../src/core/index.js';
import { agentIcon, createListView, listTarget, type ListView } from '../../src/extension/list/listView.js';
import { ConversationsList } from '../../src/extension/list/conversationsList.js';
import { type Badge, badgeOf, type ListNode, listNodes } from '../../src/extension/list/listNodes.js';
import { ageText, historyRows, inListOrder, listRow, nameIn, rowName, unseenEnds, wholeNameIn } from '../../src/extension/list/listRow.js';
import { OtherSessions } from '../../src/extension/list/otherSessions.js';
import { processorMs } from '../processorTime.js';

const now = Date.UTC(2026, 0, 5, 12);
const minute = 60_000;

function entry(id: string, changes: Partial<ConversationListEntry> = {}): ConversationListEntry {
  return {
    id,
    cwd: '/home/me/one',
    folder: '/home/me/one',
    agent: { id: 'agentao', label: 'agentao' },
    sessionId: id,
    title: undefined,
    firstWords: `words of ${id}`,
    usedAt: now - 5 * minute,
    isPinned: false,
    isArchived: false,
    isUnread: false,
    isOnHold: false,
    isBranch: false,
    leavesOutOpenFile: false,
    activity: 'saved',
    since: undefined,
    ...changes,
  };
}

const one = { path: '/home/me/one', name: 'one' };
const two = { path: '/home/me/two', name: 'two' };

/** The tree as text: two spaces per level. */
function outline(nodes: readonly ListNode[], indent = ''): string[] {
  return nodes.flatMap((node) =>
    'children' in node
      ? [`${indent}${node.type === 'archived' ? 'archived' : node.name}/`, ...outline(node.children, `${indent}  `)]
      : [`${indent}${node.type === 'others' ? `others of ${node.agent.label}` : node.id}`],
  );
}

describe('the tree of conversations', () => {
  const entries = [
    entry('old', { usedAt: now - 60 * minute }),
    entry('new', { usedAt: now - minute }),
    entry('pinned', { usedAt: now - 600 * minute, isPinned: true }),
    entry('put away', { isArchived: true }),
    entry('other', { cwd: two.path }),
  ];

  it('in one folder it has the newest first and pinned ones on top, without a folder level', () => {
    assert.deepEqual(outline(listNodes({ entries, folders: [one], showsArchived: false, now })), ['pinned', 'new', 'old']);
  });

  it('with conversations of several days it has a level for them, below the pinned ones', () => {
    const day = 24 * 60 * minute;
    const days = [0, 1, 3, 20, 300].map((age) => entry(`${age} days`, { usedAt: now - age * day }));
    const pinned = entry('pinned', { usedAt: now - 400 * day, isPinned: true });
    assert.deepEqual(outline(listNodes({ entries: [...days, pinned], folders: [one], showsArchived: false, now })), [
      'pinned',
      ...['Today', 'Yesterday', 'Previous 7 Days', 'Previous 30 Days', 'Older'].flatMap((name, index) => [
        `${name}/`,
        `  ${days[index]?.id}`,
      ]),
    ]);
  });

  it('with several folders it has a level for them, in the order of the window', () => {
    assert.deepEqual(outline(listNodes({ entries, folders: [two, one], showsArchived: false, now })), [
      'two/',
      '  other',
      'one/',
      '  pinned',
      '  new',
      '  old',
    ]);
  });

  it('archived ones are in a group of their own, on demand', () => {
    assert.deepEqual(outline(listNodes({ entries, folders: [one], showsArchived: true, now })), [
      'pinned',
      'new',
      'old',
      'archived/',
      '  put away',
    ]);
  });

  it('an archived one stays in sight while it works or needs input', () => {
    const archived = (['busy', 'needs_input', 'idle', 'interrupted'] as const).map((activity) =>
      entry(activity, { activity, isArchived: true }),
    );
    assert.deepEqual(outline(listNodes({ entries: archived, folders: [one], showsArchived: false, now })).toSorted(), [
      'busy',
      'needs_input',
    ]);
  });

  it('the pin of an archived one does not put it first', () => {
    const [newer, older] = [entry('newer', { usedAt: 2 }), entry('older', { usedAt: 1, isPinned: true, isArchived: true })];
    assert.ok(inListOrder(newer, older) < 0);
    assert.ok(inListOrder(newer, { ...older, isArchived: false }) > 0);
  });

  it('conversations without messages are left out, unless something is happening in them', () => {
    const blank = { title: undefined, firstWords: undefined };
    // Of an agent that failed to start, too.
    const quiet = (['idle', 'saved', 'opening', 'blocked'] as const).map((activity) => entry(activity, { ...blank, activity }));
    const shown = listNodes({
      entries: [entry('asks', { ...blank, activity: 'needs_input' }), ...quiet],
      folders: [one],
      showsArchived: false,
      now,
    });
    assert.deepEqual(outline(shown), ['asks']);
  });
});

describe('a row', () => {
  it('it has the title, the agent and the age', () => {
    assert.deepEqual(listRow(entry('a'), now), {
      name: 'words of a',
      description: 'agentao · 5 min',
      beside: '5 min',
      agent: 'agentao',
      icon: 'comment',
      spoken: 'words of a, agentao, 5 min',
    });
    assert.equal(listRow(entry('a', { title: 'Tolerant parser' }), now).name, 'Tolerant parser');
    assert.equal(listRow(entry('a', { title: undefined, firstWords: ' \n ' }), now).name, 'New conversation');
  });

  it('its name turns nothing around that stands beside it, and controls no terminal', () => {
    for (const words of [{ title: '\u202eabc \u2066d\x1b[31m' }, { title: undefined, firstWords: '\u202eabc \u2066d' }])
      assert.deepEqual([nameIn(entry('a', words)), wholeNameIn(entry('a', words))], ['abc d', 'abc d']);
  });

  it('its mark and its text show the state', () => {
    const look = (changes: Partial<ConversationListEntry>): readonly (string | undefined)[] => {
      const { icon, mark, description, spoken } = listRow(entry('a', { ...changes, isPinned: true }), now);
      assert.ok(mark === undefined || spoken.includes(mark.words));
      return [icon, mark?.sign, description];
    };
    const activities = (['busy', 'needs_input', 'interrupted', 'blocked', 'idle'] as const).map((activity) => look({ activity }));
    assert.deepEqual(
      [...activities, look({ isUnread: true }), look({ isOnHold: true }), look({ isUnread: true, activity: 'busy' })],
      [
        ['loading~spin', '◐', 'working · agentao · 5 min'],
        ['bell-dot', '?', 'needs input · agentao · 5 min'],
        ['debug-disconnect', '×', 'interrupted · agentao · 5 min'],
        ['warning', '!', 'needs attention · agentao · 5 min'],
        ['pinned', undefined, 'agentao · 5 min'],
        ['circle-filled', '●', 'done · agentao · 5 min'],
        ['debug-pause', '‖', 'messages on hold · agentao · 5 min'],
        ['loading~spin', '◐', 'working · agentao · 5 min'],
      ],
    );
  });

  it('its name is cut, but whole when the user changes it', () => {
    const long = `Make the parser ${'very '.repeat(20)}tolerant`;
    assert.match(nameIn(entry('a', { title: long })), /^Make.*…$/);
    assert.equal(wholeNameIn(entry('a', { title: long })), long);
    assert.equal(wholeNameIn(entry('a', { title: undefined, firstWords: `${long}\nand more` })), long);
    assert.equal(wholeNameIn(entry('a', { title: undefined, firstWords: undefined })), '');
  });

  it('its name is cut between words, so that what stands beside it stays', () => {
    const names = ['Tolerant parser', 'Make the parser tolerant of lines', 'x'.repeat(40), `short ${'y'.repeat(40)}`];
    assert.deepEqual(
      names.map((name) => rowName({ name, beside: 'now' })),
      ['Tolerant parser', 'Make the parser tolerant…', `${'x'.repeat(27)}…`, `short ${'y'.repeat(21)}…`],
    );
    assert.equal(rowName({ name: 'Make the parser tolerant', beside: 'branch · now' }), 'Make the parser…');
    // The agent's own ellipsis is enough.
    assert.equal(rowName({ name: 'Explain the code in… parser.ts', beside: 'now' }), 'Explain the code in…');
    assert.equal(nameIn(entry('a', { title: `${'x'.repeat(58)}… and more` })), `${'x'.repeat(58)}…`);
    // Twice as wide as Latin letters.
    assert.equal(rowName({ name: '解'.repeat(14), beside: 'now' }), '解'.repeat(14));
    assert.equal(rowName({ name: '解'.repeat(15), beside: 'now' }), `${'解'.repeat(13)}…`);
    assert.equal(rowName({ name: '👩‍💻'.repeat(15), beside: 'now' }), `${'👩‍💻'.repeat(5)}…`);
  });

  it('a branch is told apart from its original, whose name it has', () => {
    const { beside, spoken } = listRow(entry('a', { title: 'Tolerant parser', isBranch: true }), now);
    assert.equal(beside, 'branch · 5 min');
    assert.equal(spoken, 'Tolerant parser, agentao, branch, 5 min');
  });

  it('its icon has two letters of the agent, and nothing else of its name', () => {
    const letters = (label: string | undefined): string => />([^<]*)<\/text>/.exec(agentIcon(label, 'dark'))?.[1] ?? '';
    assert.deepEqual(['Claude Agent', 'Codex', 'x', '"><script>', undefined].map(letters), ['Cl', 'Co', 'X', 'Sc', '?']);
  });

  it('its age is written as people say it', () => {
    const ages = [0, 59_000, minute, 59 * minute, 60 * minute, 23 * 60 * minute, 24 * 60 * minute, 30 * 24 * 60 * minute];
    assert.deepEqual(
      ages.map((age) => ageText(now - age, now)),
      ['now', 'now', '1 min', '59 min', '1 h', '23 h', '1 day', '30 days'],
    );
    assert.match(ageText(now - 400 * 24 * 60 * minute, now), /2024/);
    assert.equal(ageText(now + minute, now), 'now');
  });
});

describe('the history', () => {
  it('conversations with the same first words are distinguishable, and no icon shows the agent', () => {
    const entries = [
      entry('a', { firstWords: 'list', usedAt: now - minute }),
      entry('b', { firstWords: 'list' }),
      entry('c', { title: '$(bell)' }),
    ];
    assert.deepEqual(
      historyRows(entries, { currentId: 'b', hits: [], now }).map(({ id, label, description }) => [id, label, description]),
      [
        ['a', '$(comment) list', 'agentao · 1 min'],
        ['b', '$(check) list', 'agentao · 5 min'],
        ['c', '$(comment) $ (bell)', 'agentao · 5 min'],
      ],
    );
  });
});

describe('a command', () => {
  it('it applies to the row on which it was invoked, or for a key of the view to the focused one', async () => {
    const target = (argument: unknown, ...focused: readonly Pick<ListNode, 'type' | 'id'>[]): ReturnType<typeof listTarget> =>
      listTarget(argument, () => Promise.resolve(focused[0]));
    const b = { type: 'conversation', id: 'b' } as const;
    const row = { type: 'conversation', id: 'a', entry: entry('a') };
    assert.deepEqual(await target(row, b), { type: 'conversation', id: 'a' });
    assert.deepEqual(await target({ from: 'list' }, b), b);
    assert.deepEqual(await target({ from: 'list' }, { type: 'session', id: 's' }), { type: 'session', id: 's' });
    for (const none of [[{ type: 'more', id: 'c' } as const], []])
      assert.deepEqual(await target({ from: 'list' }, ...none), { type: 'conversation', id: undefined });
    assert.equal(await target(undefined, b), undefined);
  });
});

it('a thousand conversations are sorted quickly', () => {
  const entries = Array.from({ length: 1000 }, (_, index) => entry(String(index), { usedAt: now - ((index * 7919) % 1000) * minute }));
  const times = Array.from({ length: 5 }, () => {
    const begin = processorMs();
    for (const node of listNodes({ entries, folders: [one], showsArchived: false, now }))
      if (node.type === 'conversation') listRow(node.entry, now);
    return processorMs() - begin;
  });
  assert.ok(Math.min(...times) < 50, `it took ${Math.min(...times)} ms`);
});

const none = (): { dispose(): void } => ({ dispose() {} });
const nothingHappens = { onCurrent: none, onShown: none, onListChange: none };

const others = new OtherSessions({
  engine: { facts: { state: noFacts, onChange: none }, call: () => Promise.reject(new Error('nothing is opened')) },
  ours: () => [],
  isTrusted: () => true,
});

const hiddenView: ListView = {
  dispose() {},
  fill() {},
  refresh() {},
  select: () => Promise.resolve(false),
  deselect() {},
  setBadge() {},
  isVisible: false,
  focused: () => Promise.resolve(undefined),
  onVisibility: none,
};

describe('the selection', () => {
  it('it is tried again when the view is drawn, if the view was hidden in the meantime, and after that belongs to the user', async () => {
    const changes = new Emitter<void>();
    const selected: string[] = [];
    const answers = [false, true, true];
    const select = ({ id }: ListNode): Promise<boolean> => {
      selected.push(id);
      return Promise.resolve(answers.shift() === true);
    };
    const view = { ...hiddenView, isVisible: true, select, onVisibility: (listener: () => void) => changes.event(listener) };
    const conversations = { list: [entry('a'), entry('b')], current: { id: 'b' }, shown: { id: 'b' }, ...nothingHappens };
    const list = new ConversationsList({ view, conversations, others, folders: () => [one] });
    for (let draws = 0; draws < 3; draws++) {
      await Promise.resolve();
      await Promise.resolve();
      changes.fire();
    }
    list.dispose();
    assert.deepEqual(selected, ['b', 'b']);
  });

  it('it follows the user between the chat view and tabs, and no row is selected while a conversation without one is at the front', () => {
    const changes = new Emitter<void>();
    const selected: string[] = [];
    const select = ({ id }: ListNode): Promise<boolean> => Promise.resolve(selected.push(id) > 0);
    const deselect = (): void => void selected.push('none');
    const view = { ...hiddenView, isVisible: true, select, deselect, onVisibility: (listener: () => void) => changes.event(listener) };
    const conversations = {
      list: [entry('a'), entry('b'), entry('blank', { title: undefined, firstWords: undefined })],
      current: { id: 'blank' },
      shown: { id: 'blank' },
      ...nothingHappens,
    };
    const list = new ConversationsList({ view, conversations, others, folders: () => [one] });
    for (const [current, shown] of [
      ['b', 'blank'],
      ['blank', 'blank'],
      ['a', 'a'],
      ['b', 'a'],
      ['blank', 'a'],
    ] as const) {
      Object.assign(conversations, { current: { id: current }, shown: { id: shown } });
      changes.fire();
    }
    list.dispose();
    assert.deepEqual(selected, ['b', 'none', 'a', 'b', 'a']);
  });

  it('a conversation is deselected, and a group stays as the user left it', () => {
    type Tree = Parameters<typeof createListView>[0];
    const a: ListNode = { type: 'conversation', id: 'a', entry: entry('a') };
    const days: ListNode = { type: 'days', id: 'days', name: 'Today', children: [a] };
    let provider: Parameters<Tree['fill']>[0] | undefined;
    let draws = 0;
    let selection: readonly ListNode[] = [days];
    const own: Partial<Tree['view']> = {
      get selection() {
        return selection;
      },
    };
    const tree: Partial<Tree> = { view: own as Tree['view'], fill: (one) => (provider = one), refresh: () => draws++ };
    const view = createListView(tree as Tree);
    view.fill({ roots: () => [days], childrenOf: () => [a], parentOf: () => undefined, row: () => listRow(entry('a'), now) });
    const ids = () => [days, a].map((node) => (provider?.getTreeItem(node) as { readonly id?: string } | undefined)?.id);
    view.deselect();
    assert.deepEqual([ids(), draws], [['days', 'a'], 0]);
    selection = [a];
    view.deselect();
    assert.deepEqual([ids(), draws], [['days', 'a 1'], 1]);
  });
});

describe('the badge', () => {
  it('it counts those that need input, wherever they are, and its tooltip how others ended out of sight', () => {
    const asks = entry('asks', { cwd: two.path, activity: 'needs_input', isArchived: true });
    const done = [entry('b', { isUnread: true }), entry('c', { isUnread: true, activity: 'interrupted' })];
    assert.equal(badgeOf(done), undefined);
    assert.deepEqual(badgeOf([asks]), { value: 1, tooltip: '1 conversation needs input' });
    assert.deepEqual(unseenEnds([asks, ...done]).facts, ['"words of b": done', '"words of c": interrupted']);
    assert.deepEqual(badgeOf([asks, { ...asks, isUnread: true }, ...done]), {
      value: 2,
      tooltip: '2 conversations need input, 1 done, 1 interrupted',
    });
  });

  it('a count is of conversations, and not of their messages', () => {
    const held = entry('held', { isUnread: true, isOnHold: true });
    const blocked = entry('blocked', { isUnread: true, activity: 'blocked' });
    assert.equal(unseenEnds([held, blocked]).text, '1 on hold, 1 needs attention');
    assert.equal(unseenEnds([held, held, blocked, blocked]).text, '2 on hold, 2 need attention');
    assert.deepEqual(unseenEnds([held]).facts, ['"words of held": messages on hold']);
  });

  it('it immediately follows the number that needs input', () => {
    const changes = new Emitter<void>();
    const badges: (number | undefined)[] = [];
    let list = [entry('asks', { activity: 'needs_input' }), entry('other')];
    const view = { ...hiddenView, setBadge: (badge: Badge | undefined) => void badges.push(badge?.value) };
    const conversations = {
      get list() {
        return list;
      },
      current: undefined,
      shown: undefined,
      ...nothingHappens,
      onListChange: (listener: () => void) => changes.event(listener),
    };
    const shown = new ConversationsList({ view, conversations, others, folders: () => [one] });
    list = [entry('asks', { activity: 'busy' }), entry('other')];
    changes.fire();
    shown.dispose();
    assert.deepEqual(badges, [1, undefined]);
  });
});
