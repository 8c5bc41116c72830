import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ConversationListEntry, Emitter } from '../../src/core/index.js';
import { ageText } from '../../src/extension/list/age.js';
import { ConversationsList } from '../../src/extension/list/conversationsList.js';
import { historyRows } from '../../src/extension/list/historyRows.js';
import { type ListNode, listNodes, needingInput } from '../../src/extension/list/listNodes.js';
import { inListOrder, listRow } from '../../src/extension/list/listRow.js';
import type { ListView } from '../../src/extension/list/listView.js';
import { listTarget } from '../../src/extension/list/listTarget.js';
import { processorMs } from '../processorTime.js';

const now = Date.UTC(2026, 0, 5, 12);
const minute = 60_000;

function entry(id: string, changes: Partial<ConversationListEntry> = {}): ConversationListEntry {
  return {
    id,
    cwd: '/home/me/one',
    agent: { id: 'agentao', label: 'agentao' },
    sessionId: id,
    title: undefined,
    firstWords: `words of ${id}`,
    usedAt: now - 5 * minute,
    isPinned: false,
    isArchived: false,
    isUnread: false,
    leavesOutOpenFile: false,
    activity: 'saved',
    elsewhere: undefined,
    ...changes,
  };
}

const one = { path: '/home/me/one', name: 'one' };
const two = { path: '/home/me/two', name: 'two' };

/** The tree as text: two spaces per level. */
function outline(nodes: readonly ListNode[], indent = ''): string[] {
  return nodes.flatMap((node) =>
    node.type === 'conversation'
      ? [`${indent}${node.id}`]
      : [`${indent}${node.type === 'folder' ? node.name : 'archived'}/`, ...outline(node.children, `${indent}  `)],
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
    assert.deepEqual(outline(listNodes({ entries, folders: [one], showsArchived: false })), ['pinned', 'new', 'old']);
  });

  it('with several folders it has a level for them, in the order of the window', () => {
    assert.deepEqual(outline(listNodes({ entries, folders: [two, one], showsArchived: false })), [
      'two/',
      '  other',
      'one/',
      '  pinned',
      '  new',
      '  old',
    ]);
  });

  it('archived ones are in a group of their own, on demand', () => {
    assert.deepEqual(outline(listNodes({ entries, folders: [one], showsArchived: true })), [
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
    assert.deepEqual(outline(listNodes({ entries: archived, folders: [one], showsArchived: false })).toSorted(), ['busy', 'needs_input']);
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
    });
    assert.deepEqual(outline(shown), ['asks']);
  });

  it('those that need input are counted, wherever they are', () => {
    assert.equal(needingInput([...entries, entry('asks', { cwd: two.path, activity: 'needs_input', isArchived: true })]), 1);
  });
});

describe('a row', () => {
  it('it has the title, the agent and the age', () => {
    assert.deepEqual(listRow(entry('a'), now), {
      name: 'words of a',
      description: 'agentao · 5 min',
      icon: 'comment',
      spoken: 'words of a, agentao, 5 min',
    });
    assert.equal(listRow(entry('a', { title: 'Tolerant parser' }), now).name, 'Tolerant parser');
    assert.equal(listRow(entry('a', { title: undefined, firstWords: ' \n ' }), now).name, 'New conversation');
  });

  it('its icon and its text show the state', () => {
    const states = (['busy', 'needs_input', 'interrupted', 'elsewhere', 'blocked'] as const).map((activity) => {
      const { icon, description } = listRow(entry('a', { activity, isPinned: true }), now);
      return [icon, description];
    });
    assert.deepEqual(states, [
      ['loading~spin', 'running · agentao · 5 min'],
      ['bell-dot', 'needs your input · agentao · 5 min'],
      ['debug-disconnect', 'interrupted · agentao · 5 min'],
      ['multiple-windows', 'open elsewhere · agentao · 5 min'],
      ['warning', 'needs attention · agentao · 5 min'],
    ]);
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
      historyRows(entries, 'b', now).map(({ id, label, description }) => [id, label, description]),
      [
        ['a', '$(comment) list', 'agentao · 1 min'],
        ['b', '$(check) list', 'agentao · 5 min'],
        ['c', '$(comment) $ (bell)', 'agentao · 5 min'],
      ],
    );
  });
});

describe('a command', () => {
  it('it applies to the row on which it was invoked, or for a key of the view to the selected one, if that is a conversation', () => {
    const row = { type: 'conversation', id: 'a', entry: entry('a') };
    assert.deepEqual(listTarget(row, ['b']), { id: 'a' });
    assert.deepEqual(listTarget({ from: 'list' }, ['b']), { id: 'b' });
    assert.deepEqual(listTarget({ from: 'list' }, []), { id: undefined });
    assert.equal(listTarget(undefined, ['b']), undefined);
  });
});

it('a thousand conversations are sorted quickly', () => {
  const entries = Array.from({ length: 1000 }, (_, index) => entry(String(index), { usedAt: now - ((index * 7919) % 1000) * minute }));
  const times = Array.from({ length: 5 }, () => {
    const begin = processorMs();
    for (const node of listNodes({ entries, folders: [one], showsArchived: false }))
      if (node.type === 'conversation') listRow(node.entry, now);
    return processorMs() - begin;
  });
  assert.ok(Math.min(...times) < 50, `it took ${Math.min(...times)} ms`);
});

const none = (): { dispose(): void } => ({ dispose() {} });

const hiddenView: ListView = {
  fill() {},
  refresh() {},
  select: () => Promise.resolve(false),
  setBadge() {},
  isVisible: false,
  selectedIds: [],
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
    const conversations = { list: [entry('a'), entry('b')], shown: { id: 'b' }, onShown: none, onListChange: none };
    const list = new ConversationsList({ view, conversations, folders: () => [one] });
    for (let draws = 0; draws < 3; draws++) {
      await Promise.resolve();
      await Promise.resolve();
      changes.fire();
    }
    list.dispose();
    assert.deepEqual(selected, ['b', 'b']);
  });
});

describe('the badge', () => {
  it('it immediately follows the number that needs input', () => {
    const changes = new Emitter<void>();
    const badges: number[] = [];
    let list = [entry('asks', { activity: 'needs_input' }), entry('other')];
    const view = { ...hiddenView, setBadge: (count: number) => void badges.push(count) };
    const conversations = {
      get list() {
        return list;
      },
      shown: undefined,
      onShown: none,
      onListChange: (listener: () => void) => changes.event(listener),
    };
    const shown = new ConversationsList({ view, conversations, folders: () => [one] });
    list = [entry('asks', { activity: 'busy' }), entry('other')];
    changes.fire();
    shown.dispose();
    assert.deepEqual(badges, [1, 0]);
  });
});
