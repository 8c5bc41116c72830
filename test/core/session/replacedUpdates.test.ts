import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { SessionEvent, ToolPatch } from '../../../src/core/session/event.js';
import { emptySession, reduceAll } from '../../../src/core/session/reducer.js';
import { withoutReplaced } from '../../../src/core/session/eventBatcher.js';
import { anyEvent } from './arbitraryEvents.js';

const empty = emptySession('s', '/workspace', 0);
const commands = (name: string): SessionEvent => ({ type: 'commands', at: 1, commands: [{ name, description: '' }] });
const tool = (id: string, patch: ToolPatch): SessionEvent => ({ type: 'tool', at: 1, id, toolCallId: id, patch });
const output = (text: string): Pick<ToolPatch, 'content'> => ({ content: [{ type: 'content', content: { type: 'text', text } }] });

describe('updates that are replaced in the same batch', () => {
  it('a tool call has its last output from the beginning, once, and every change of its status', () => {
    const events = [
      tool('a', { status: 'pending', title: 'A', rawInput: { of: 'a' } }),
      tool('b', { ...output('of b') }),
      tool('a', { status: 'completed', ...output('first') }),
      tool('a', { status: 'completed', ...output('second'), rawOutput: undefined }),
    ];
    assert.deepEqual(withoutReplaced(events), [
      events[0],
      events[1],
      tool('a', { status: 'completed', ...output('second') }),
      tool('a', { status: 'completed', rawOutput: undefined }),
    ]);
  });

  it('every list of commands is left, because a program may read what came with it', () => {
    const events = [commands('one'), tool('a', {}), commands('two')];
    assert.deepEqual(withoutReplaced(events), events);
  });

  it('the others lead to the same state', () => {
    const values = fc.string({ maxLength: 4 });
    const patch = fc.record(
      {
        status: fc.constantFrom('pending' as const, 'in_progress' as const, 'completed' as const, 'failed' as const, 'rejected' as const),
        content: values.map((text) => output(text).content ?? []),
        locations: values.map((path) => [{ path }]),
        rawInput: fc.option(values),
        rawOutput: fc.option(values),
        exit: fc.constant({ code: 1 }),
      },
      { requiredKeys: [] },
    );
    const anyTool = fc.record({ id: fc.constantFrom('x', 'y', 'm0'), patch }).map((one) => tool(one.id, one.patch));
    fc.assert(
      fc.property(
        fc.array(fc.oneof(anyEvent, anyTool), { maxLength: 20 }),
        fc.array(fc.oneof(anyEvent, anyTool, values.map(commands)), { maxLength: 40 }),
        (before, events) => {
          const state = reduceAll(empty, before);
          assert.deepEqual(reduceAll(state, withoutReplaced(events)), reduceAll(state, events));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
