import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Memento } from 'vscode';
import type { ConversationRecord } from '../../src/core/index.js';
import { createWorkspaceState } from '../../src/extension/window/workspaceState.js';

/** The editor's storage: what is in it has been through JSON. */
function storage(initial: Readonly<Record<string, unknown>> = {}): Memento & { readonly values: Map<string, string> } {
  const values = new Map(Object.entries(initial).map(([key, value]) => [key, JSON.stringify(value)]));
  return {
    values,
    keys: () => [...values.keys()],
    get: (key: string) => {
      const json = values.get(key);
      return json === undefined ? undefined : JSON.parse(json);
    },
    update(key, value) {
      if (value === undefined) values.delete(key);
      else values.set(key, JSON.stringify(value));
      return Promise.resolve();
    },
  };
}

const content = [{ type: 'text', text: 'later' }] as const;
const place = { agentId: 'a', sessionId: 's1', createdAt: 5, continues: undefined, withContext: true };

describe('what a window remembers of a conversation', () => {
  it('is there after a reload, and takes no room where it is nothing', () => {
    const state = storage();
    const record: ConversationRecord = {
      place,
      outbox: [
        { id: 'p1', at: 1, content, held: undefined },
        { id: 'p2', at: 2, content, held: 'may_hang' },
      ],
      returned: [{ id: 'p3', at: 3, content, held: undefined }],
    };
    createWorkspaceState(state).remember('/folder', record);
    assert.deepEqual(createWorkspaceState(state).recall('/folder'), record);
    assert.equal(createWorkspaceState(state).recall('/other'), undefined);
    createWorkspaceState(state).remember('/folder', { place: undefined, outbox: [], returned: [] });
    assert.deepEqual([...state.values], []);
  });

  it('by an earlier version is read, and then replaced', () => {
    const state = storage({
      'conversation:/folder': { agentId: 'a', sessionId: 's1', createdAt: 5, withContext: true },
      'unsent:/folder': ['turn_cut', 'window_closed', 'context_lost', 'freezes', undefined].map((held, at) => ({
        id: `p${at}`,
        at,
        content,
        held,
      })),
    });
    const memory = createWorkspaceState(state);
    const record = memory.recall('/folder') ?? assert.fail('nothing remembered');
    assert.deepEqual(record.place, place);
    assert.deepEqual(
      record.outbox.map(({ held }) => held),
      ['turn_interrupted', 'front_end_closed', 'context_lost', 'may_hang', undefined],
    );
    memory.remember('/folder', record);
    assert.deepEqual([...state.values.keys()], ['conversation:/folder']);
    assert.deepEqual(memory.recall('/folder'), record);
  });

  it('prompts that cannot be read do not take the place with them', () => {
    const memory = createWorkspaceState(storage({ 'conversation:/folder': { place, outbox: [{ id: 1 }], returned: 'x' } }));
    assert.deepEqual(memory.recall('/folder'), { place, outbox: [], returned: [] });
  });
});
