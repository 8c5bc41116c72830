/** What turns changed, as the chat shows it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ItemView } from '../../src/contract/view.js';
import type { ChangeSet, ConversationState, SessionEvent } from '../../src/core/index.js';
import { chatDrawer } from '../../src/extension/chat/viewModel.js';
import { changedFile as file, changeSet as set } from './changeSets.js';
import { conversation, draw, sessionOf, start, turn } from './drawnChat.js';

type Outcome = Extract<SessionEvent, { type: 'turn_ended' }>['outcome'];

const begun = (turnId: string): SessionEvent => ({ type: 'turn_started', at: start, turnId, content: [] });
const endedWith = (turnId: string, outcome: Outcome): SessionEvent => ({ type: 'turn_ended', at: start + 54_000, turnId, outcome });
const ended = (turnId: string): SessionEvent => endedWith(turnId, { type: 'ended', stopReason: 'end_turn', silent: false });
const session = sessionOf(turn, ended('t1'));
type TurnEnd = Extract<ItemView, { kind: 'turn_end' }>;

function endOf(change: Partial<ConversationState>): TurnEnd {
  const item = draw({ session, ...change }).view.items.at(-1);
  assert.ok(item?.kind === 'turn_end');
  return item;
}
const labelsOf = (change: Partial<ConversationState>) => endOf(change).changes?.buttons.map(({ label }) => label);

describe('the end of a turn', () => {
  it('counts what the turn changed, and lists the files with what is out of the ordinary', () => {
    const files = [
      file('a.ts'),
      file('b.ts', { status: 'added', by: 'other' }),
      file('c.ts', { status: 'deleted', alsoUser: true }),
      file('d.ts', { status: 'renamed', from: 'src/x\u0007.ts' }),
      file('e.png', { added: 0, removed: 0, isBinary: true }),
      file('f.env', { added: 0, removed: 0, unkept: 'secret' }),
      file('g.ts', { isUndone: true }),
    ];
    const { changes } = endOf({ changes: [set('t1', files)] });
    assert.deepEqual(changes?.counts, { files: '7 files', added: 10, removed: 5 });
    assert.deepEqual(
      changes.files.map(({ path, notes }) => [path, notes.join(' · ')]),
      [
        ['a.ts', ''],
        ['b.ts', 'created · by a command'],
        ['c.ts', 'deleted · may be yours'],
        ['d.ts', 'renamed from src/x.ts'],
        ['e.png', 'binary, lines are not counted'],
        ['f.env', "may contain secrets, can't be compared or undone"],
        ['g.ts', 'undone'],
      ],
    );
    assert.deepEqual([changes.files.at(5)?.isFixed, changes.files.at(6)?.isUndone], [true, true]);
    assert.deepEqual(labelsOf({ changes: [set('t1', files)] }), ['Review', 'Undo']);
  });

  it('says how many files are not listed, and why something may be missing', () => {
    const { changes } = endOf({ changes: [set('t1', [file('a.ts')], { fileCount: 41, problems: ['shared'] })] });
    assert.equal(changes?.more, 'and 40 more');
    assert.match(changes.notes.join(), /^Another conversation worked in the folder/);
    assert.equal(changes.counts.files, '41 files, shared');
  });

  it('has nothing for a turn that changed nothing', () => {
    assert.equal(endOf({ changes: [set('t2', [file('a.ts')])] }).changes, undefined);
  });

  it('offers Redo for a turn that was taken back, as long as it is', () => {
    const undone = set('t1', [file('a.ts', { isUndone: true })]);
    const undo = set('u1', [file('a.ts')], { kind: 'undo', undoneSets: ['t1'] });
    const { changes } = endOf({ changes: [undone, undo] });
    assert.deepEqual(
      [changes?.isUndone, changes?.files.map(({ isUndone, notes }) => [isUndone, notes])],
      [true, [[true, []]]],
      'it is said twice',
    );
    assert.deepEqual(labelsOf({ changes: [undone, undo] }), ['Redo']);
    const takenBack = set('u1', [file('a.ts', { isUndone: true })], { kind: 'undo', undoneSets: ['t1'] });
    assert.deepEqual(labelsOf({ changes: [set('t1', [file('a.ts')]), takenBack, set('u2', [file('a.ts')], { kind: 'undo' })] }), [
      'Review',
      'Undo',
    ]);
    assert.deepEqual(labelsOf({ changes: [undone] }), [], 'which undo it was is not known');
  });

  it('offers nothing before it is known what the turn changed', () => {
    assert.deepEqual(labelsOf({ changes: [set('t1', [file('a.ts')], { kind: 'running' })] }), []);
  });

  it('of an interrupted turn names the changed files once', () => {
    const interrupted = endedWith('t1', { type: 'interrupted', error: { code: 'agent_exited', params: {} } });
    const patch = { title: 'Edit', toolKind: 'edit', locations: [{ path: '/home/me/project/a.ts' }] } as const;
    const edit: SessionEvent = { type: 'tool', at: start, id: 'c1', toolCallId: 'c1', patch };
    const change = { session: sessionOf(turn, edit, interrupted) };
    assert.equal(endOf(change).files.length, 1);
    assert.deepEqual(endOf({ ...change, changes: [set('t1', [file('a.ts')])] }).files, []);
  });

  it('keeps its view until something changes in it', () => {
    const drawer = chatDrawer();
    const itemsWith = (changes: readonly ChangeSet[]) =>
      drawer({
        conversation: conversation({ session, changes }),
        prompts: [],
        closed: undefined,
        chips: [],
        quietAfterMs: 60_000,
        now: start,
      }).view.items;
    const changes = [set('t1', [file('a.ts')])];
    const [before, same] = [itemsWith(changes), itemsWith([...changes])];
    assert.ok(before.every((item, index) => item === same[index]));
    assert.notEqual(itemsWith([set('t1', [file('a.ts', { isUndone: true })])]).at(-1), before.at(-1));
  });
});

describe('changes that are not known', () => {
  const noGit = { code: 'changes_unknown', params: { reason: 'no_git' } } as const;

  it('without Git, what is missing stands once, below the last turn', () => {
    const twice = sessionOf(turn, ended('t1'), begun('t2'), ended('t2'));
    const { items } = draw({ session: twice, changesFailure: noGit }).view;
    assert.deepEqual(
      items.flatMap((item) => (item.kind === 'turn_end' ? [item.note] : [])),
      [undefined, 'Install Git to see and undo what turns change.'],
    );
  });

  it('another reason stands below the turn, until the next one runs', () => {
    const changesFailure = { code: 'changes_unknown', params: { reason: 'too_slow' } } as const;
    assert.equal(endOf({ changesFailure }).note, 'What this turn changed is not known: Git needed too long to look at the folder.');
    const running = sessionOf(turn, ended('t1'), begun('t2'));
    const ends = draw({ session: running, changesFailure }).view.items.filter(({ kind }) => kind === 'turn_end');
    assert.deepEqual(
      ends.map((item) => item.kind === 'turn_end' && item.note),
      [undefined],
    );
  });
});

describe('what is to be reviewed', () => {
  it('is counted over all turns, and nothing is said if there is nothing', () => {
    const changes = [set('t1', [file('a.ts'), file('b.ts')]), set('t2', [file('a.ts')])];
    assert.equal(draw({ session, changes }).view.review?.text, '2 files to\u00a0review');
    assert.equal(draw({ session, changes: [set('t1', [file('a.ts', { isReviewed: true })])] }).view.review, null);
  });

  it('of a running turn is part of the wait for it', () => {
    const { view } = draw({ session: sessionOf(turn), changes: [set('t1', [file('a.ts')], { kind: 'running' })] });
    assert.deepEqual([view.wait?.changes, view.review], [{ files: '1 file', added: 2, removed: 1 }, null]);
  });
});
