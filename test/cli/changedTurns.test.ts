/** The turns of a conversation that changed files, and their rows. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changedTurns, turnsWithNumber } from '../../src/cli/conversation/changedTurns.js';
import { changeRows } from '../../src/cli/output/changeText.js';
import { paintFor } from '../../src/cli/output/terminalText.js';
import { emptyConversation } from '../../src/core/conversation/state.js';
import type { SessionEvent } from '../../src/core/session/event.js';
import { emptySession, reduceAll } from '../../src/core/session/reducer.js';
import type { ChangedFile, ChangeSet } from '../../src/core/session/changes.js';

const file = (path: string): ChangedFile => ({ path, status: 'modified', added: 1, removed: 0, by: 'tool' });
const set = (id: string, at: number, kind: ChangeSet['kind'] = 'turn'): ChangeSet => {
  const files = [file('a')];
  return { id, kind, at, files, fileCount: 1, added: 1, removed: 0, problems: [] };
};

describe('turns that changed files', () => {
  it('have numbers also if nothing but their changes is saved any more', () => {
    const turn = (turnId: string, at: number): SessionEvent[] => [
      { type: 'turn_started', at, turnId, content: [{ type: 'text', text: `do ${turnId}` }] },
      { type: 'turn_ended', at: at + 1, turnId, outcome: { type: 'ended', stopReason: 'end_turn', silent: false } },
    ];
    const session = reduceAll(emptySession('s', '/work', 1), [...turn('t3', 30), ...turn('t4', 40)]);
    const changes = [set('t1', 10), set('u', 11, 'undo'), set('t2', 20), set('t4', 41)];
    const state = { ...emptyConversation('c', '/work'), session, changes };
    assert.deepEqual(
      changedTurns(state).map(({ number, prompt, set: { id } }) => [number, prompt, id]),
      [
        [1, '', 't1'],
        [2, '', 't2'],
        [4, 'do t4', 't4'],
      ],
    );
    assert.deepEqual(turnsWithNumber(state, 3), []);
    assert.throws(() => turnsWithNumber(state, 5), /has 4 turns/);
  });

  it('have rows, however many files there are', () => {
    const rows = changeRows(
      Array.from({ length: 200_000 }, (_, index) => file(String(index))),
      paintFor(false),
    );
    assert.equal(rows.length, 200_000);
    assert.equal(rows[7], '  M 7       +1 −0');
    assert.deepEqual(changeRows([], paintFor(false)), []);
  });
});
