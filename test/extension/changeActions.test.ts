/** What can be done with the changes of turns: comparing, taking back, marking. The editor and the engine are fakes. */
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { type ChangeSet, type ConversationClient, HostError, type LeftFile } from '../../src/core/index.js';
import { viewIdOf } from '../../src/extension/chat/transcript.js';
import { netChanges } from '../../src/extension/chat/toReview.js';
import type { OpenConversation } from '../../src/extension/conversation/openConversations.js';
import type { ChangedFiles, Comparison } from '../../src/extension/editor/documents.js';
import { leftText } from '../../src/text/changesText.js';
import { editor } from '../fakes/vscodeFake.js';
import { changedFile as file, changeSet as set } from './changeSets.js';
import { conversation, sessionOf, start, turn } from './drawnChat.js';
import { createChangeActions } from '../../src/extension/actions/changeActions.js';

beforeEach(() => Object.assign(editor, { answer: undefined, shown: [] }));

const session = sessionOf(turn, {
  type: 'turn_ended',
  at: start,
  turnId: 't1',
  outcome: { type: 'ended', stopReason: 'end_turn', silent: false },
});
const [, end] = session.items;
const lineOfTurn = viewIdOf(session, end?.id ?? '');

interface Engine {
  readonly undone?: readonly string[];
  readonly left?: readonly LeftFile[];
  /** All files of a change set. */
  readonly files?: ChangeSet['files'];
  /** The file in the active editor. */
  readonly active?: string;
}

/** @returns the actions, and what they did */
function actionsOn(changes: readonly ChangeSet[], { undone = ['a.ts'], left = [], files = [], active }: Engine = {}) {
  const called: unknown[] = [];
  const compared: (readonly [string, readonly (readonly [string, string | undefined, string | undefined])[]])[] = [];
  const state = conversation({ session, changes });
  const client: Partial<ConversationClient> = {
    state,
    execute: (command) => Promise.resolve(void called.push(command)).then(() => ({ ok: true })),
  };
  const entry: OpenConversation = { id: 'one', folder: { path: '/project', name: 'project' }, conversation: client as ConversationClient };
  const call = (method: string, params: object): Promise<unknown> => {
    called.push([method, params]);
    if (method === 'changed_files') return Promise.resolve(files);
    return Promise.resolve({ ...(undone.length > 0 && { id: 'u1' }), undone, left });
  };
  const sideOf = (version: Comparison['after']): string | undefined =>
    version === undefined || version === 'file' ? version : `${version.side} ${version.set}:${version.path}`;
  const rowsOf = (all: readonly Comparison[]) => all.map(({ path, before, after }) => [path, sideOf(before), sideOf(after)] as const);
  const told: Promise<unknown>[] = [];
  const changedFiles: Partial<ChangedFiles> = {
    active: () => active,
    compare: (title, one) => Promise.resolve(void compared.push([title, rowsOf([one])])),
    closeGone: () => Promise.resolve(),
    compareAll: (title, all) => Promise.resolve(void compared.push([title, rowsOf(all)])),
  };
  const report = async (work: () => Promise<unknown>): Promise<void> => void told.push(work());
  const parts = { engine: { call }, changedFiles, unsavedTexts: { changed: [] }, report };
  const source = () => ({ view: () => ({ header: { agent: 'agentao' } }) });
  const actions = createChangeActions({ parts, current: () => entry, source } as never);
  /** Resolves when everything that was shown is answered, and what follows from it is done. */
  const settled = async (): Promise<void> => {
    for (const one of told) await one;
  };
  return { actions, called, compared, settled };
}

const undoing = (sets: readonly string[], paths?: readonly string[]) => [
  'undo_changes',
  { id: 'one', sets, ...(paths === undefined ? {} : { paths }) },
];

describe('Review Changes', () => {
  it('compares each file as it is with what it was before the oldest change that is not reviewed', async () => {
    const { actions, compared } = actionsOn([
      set('t1', [file('a.ts'), file('gone.ts', { status: 'deleted' }), file('p.png', { isBinary: true })]),
      set('t2', [file('a.ts'), file('new.ts', { status: 'added' }), file('to.ts', { status: 'renamed', from: 'from.ts' })]),
    ]);
    await actions.reviewChanges();
    assert.deepEqual(compared, [
      [
        'Changes by agentao, except 1 file without text',
        [
          ['a.ts', 'before t1:a.ts', 'file'],
          ['gone.ts', 'before t1:gone.ts', undefined],
          ['new.ts', undefined, 'file'],
          ['to.ts', 'before t2:from.ts', 'file'],
        ],
      ],
    ]);
  });

  it('of a turn compares what the turn did, and the file itself only if nothing came later', async () => {
    const files = [file('a.ts', { isReviewed: true }), file('b.ts'), file('c.ts', { isUndone: true })];
    const { actions, compared } = actionsOn([set('t1', files), set('t2', [file('b.ts')])]);
    await actions.reviewChanges(lineOfTurn);
    assert.deepEqual(compared[0]?.[1], [
      ['a.ts', 'before t1:a.ts', 'file'],
      ['b.ts', 'before t1:b.ts', 'after t1:b.ts'],
    ]);
  });

  it('reads the files that front ends do not have', async () => {
    const all = [file('a.ts'), file('b.ts')];
    const { actions, compared, called } = actionsOn([set('t1', [file('a.ts')], { fileCount: 2 })], { files: all });
    await actions.reviewChanges();
    assert.deepEqual(called, [['changed_files', { id: 'one', set: 't1' }]]);
    assert.equal(compared[0]?.[1].length, 2);
  });

  it('says why nothing can be compared', async () => {
    const isUsage = (words: RegExp) => (error: unknown) => error instanceof HostError && words.test(String(error.params['detail']));
    await assert.rejects(actionsOn([]).actions.reviewChanges(), isUsage(/no changes to review/));
    const binary = actionsOn([set('t1', [file('p.png', { isBinary: true })])]);
    await assert.rejects(binary.actions.reviewChanges(), isUsage(/can't be compared as text/));
  });
});

describe('Undo', () => {
  it('takes back the last turn that is not undone, and the notification offers Redo', async () => {
    editor.answer = 'Redo';
    const taken = set('t2', [file('a.ts', { isUndone: true })]);
    const { actions, called, settled } = actionsOn([set('t0', [file('a.ts')]), set('t1', [file('a.ts')]), taken]);
    await actions.undoTurn();
    await settled();
    assert.deepEqual(called, [undoing(['t1']), undoing(['u1'])]);
    assert.deepEqual(editor.shown, [{ text: 'Undid the changes in a.ts', labels: ['Redo'] }]);
  });

  it('of a turn and of a file applies to these only, and the line below the turn says it without a notification', async () => {
    const { actions, called, settled } = actionsOn([set('t1', [file('a.ts'), file('b.ts')]), set('t2', [file('a.ts')])]);
    await actions.undoTurn(lineOfTurn);
    await actions.undoFile(lineOfTurn, 'b.ts');
    await settled();
    assert.deepEqual(called, [undoing(['t1']), undoing(['t1'], ['b.ts'])]);
    assert.deepEqual(editor.shown, []);
  });

  it('of a turn names what was left, or that nothing was done', async () => {
    const changes = [set('t1', [file('a.ts'), file('b.ts')])];
    const partly = actionsOn(changes, { left: [{ path: 'b.ts', why: 'unkept' }] });
    await partly.actions.undoTurn(lineOfTurn);
    const nothing = actionsOn(changes, { undone: [] });
    await nothing.actions.undoFile(lineOfTurn, 'b.ts');
    await Promise.all([partly.settled(), nothing.settled()]);
    assert.deepEqual(
      editor.shown.map(({ text }) => text),
      [`Undid the changes in a.ts. Left b.ts as it is. ${leftText({ path: '', why: 'unkept' })}`, 'There was nothing to undo'],
    );
  });

  it('names what was left with the reason, and compares it', async () => {
    editor.answer = 'Open Diff';
    const left: readonly LeftFile[] = [
      { path: 'src/b.ts', why: 'changed' },
      { path: 'c.ts', why: 'unkept' },
    ];
    const { actions, compared, settled } = actionsOn([set('t1', [file('a.ts'), file('src/b.ts')])], { left });
    await actions.undoTurn();
    await settled();
    assert.deepEqual(editor.shown, [
      {
        text: `Undid the changes in a.ts. Left b.ts as it is. ${leftText({ path: '', why: 'changed' })} 1 more file was left, too.`,
        labels: ['Open Diff', 'Redo'],
      },
    ]);
    assert.deepEqual(compared, [['b.ts (changed by agentao)', [['src/b.ts', 'before t1:src/b.ts', 'file']]]]);
  });

  it('takes back what may be the user’s only after they said so', async () => {
    editor.answer = 'Undo Anyway';
    const { actions, called, settled } = actionsOn([set('t1', [file('a.ts')])], { undone: [], left: [{ path: 'a.ts', why: 'also_user' }] });
    await actions.undoTurn();
    editor.answer = undefined;
    await settled();
    assert.deepEqual(called, [undoing(['t1']), undoing(['t1'], ['a.ts'])]);
    assert.deepEqual(editor.shown[0]?.labels, ['Open Diff', 'Undo Anyway']);
  });

  it('says that there is nothing to undo', async () => {
    await assert.rejects(actionsOn([]).actions.undoTurn(), HostError);
  });
});

describe('Redo', () => {
  it('takes back the undo of the turn, and says only what was left', async () => {
    const undone = set('t1', [file('a.ts', { isUndone: true })]);
    const undo = (id: string, files: ChangeSet['files']): ChangeSet => set(id, files, { kind: 'undo', undoneSets: ['t1'] });
    const { actions, called, settled } = actionsOn([
      undone,
      undo('u0', [file('a.ts', { isUndone: true })]),
      undo('u1', [file('a.ts')]),
      set('u2', [file('a.ts')], { kind: 'undo', undoneSets: ['other'] }),
    ]);
    await actions.redoTurn(lineOfTurn);
    await actions.redoFile(lineOfTurn, 'a.ts');
    await settled();
    assert.deepEqual(called, [undoing(['u1']), undoing(['u1'], ['a.ts'])]);
    assert.deepEqual(editor.shown, []);
  });
});

describe('Mark Changes as Reviewed', () => {
  it('marks every turn of which something is not reviewed', async () => {
    const { actions, called } = actionsOn([
      set('t0', [file('a.ts', { isReviewed: true })]),
      set('t1', [file('a.ts')]),
      set('u1', [file('b.ts')], { kind: 'undo' }),
    ]);
    await actions.markReviewed();
    assert.deepEqual(called, [{ type: 'review_changes', ids: ['t1'] }]);
    const nothing = actionsOn([]);
    await nothing.actions.markReviewed();
    assert.deepEqual(nothing.called, []);
  });
});

describe('Next and Previous File to Review', () => {
  const changes = [set('t1', [file('a.ts'), file('b.bin', { isBinary: true }), file('c.ts'), file('d.ts')])];
  const names = async (active: string | undefined, ...steps: readonly ('nextFile' | 'previousFile')[]) => {
    const { actions, compared } = actionsOn(changes, active === undefined ? {} : { active });
    for (const step of steps) await actions[step]();
    return compared.map(([, [row]]) => row?.[0]);
  };

  it('compares the text next to the one in the active editor, in a circle', async () => {
    assert.deepEqual(await names('/project/a.ts', 'nextFile', 'previousFile'), ['c.ts', 'd.ts']);
    assert.deepEqual(await names('/project/d.ts', 'nextFile', 'previousFile'), ['a.ts', 'c.ts']);
  });

  it('begins at the first or the last one if the editor shows none of them', async () => {
    assert.deepEqual(await names(undefined, 'nextFile', 'previousFile'), ['a.ts', 'd.ts']);
    assert.deepEqual(await names('/elsewhere/c.ts', 'nextFile'), ['a.ts']);
  });

  it('says that there is none', async () => {
    await assert.rejects(actionsOn([]).actions.nextFile(), HostError);
  });
});

describe('Undo of a whole file to review', () => {
  it('takes back what all turns did to it, under each of its names', async () => {
    const changes = [
      set('t1', [file('a.ts', { status: 'added' }), file('b.ts')]),
      set('t2', [file('c.ts', { status: 'renamed', from: 'a.ts' })]),
    ];
    const { actions, called } = actionsOn(changes, { undone: ['c.ts', 'a.ts'] });
    const [, found] = netChanges(changes);
    assert.ok(found !== undefined);
    assert.equal(await actions.undoFileToReview(found), true);
    assert.deepEqual(called, [undoing(['t2', 't1'], ['c.ts', 'a.ts'])]);
  });
});
