/** What an agent counts costs the chat time in proportion to its number. */
import { describe, it } from 'node:test';
import type { ToolCallContent, ToolItem, TranscriptItem, TurnOutcome } from '../../src/core/index.js';
import { netChanges } from '../../src/extension/chat/toReview.js';
import { assertLinear } from '../linearTime.js';
import { conversation, drawUnparsed, sessionOf, start } from './drawnChat.js';

const list = <T>(count: number, one: (index: number) => T): readonly T[] => Array.from({ length: count }, (_, index) => one(index));

function draw(items: readonly TranscriptItem[]): unknown {
  return drawUnparsed(conversation({ session: { ...sessionOf(), items } }));
}

function call(turn: number, change: Partial<ToolItem>): ToolItem {
  return {
    kind: 'tool',
    id: `c${turn}`,
    turnId: `t${turn}`,
    toolCallId: `c${turn}`,
    title: 'edit',
    toolKind: 'edit',
    status: 'completed',
    content: [],
    locations: [],
    rawInput: undefined,
    rawOutput: undefined,
    exit: undefined,
    caveat: undefined,
    startedAt: start,
    endedAt: start,
    ...change,
  };
}

function turnEnd(turn: number, outcome: TurnOutcome): TranscriptItem {
  return { kind: 'turn_end', id: `e${turn}`, turnId: `t${turn}`, startedAt: start, at: start, outcome };
}

const change = (i: number): ToolCallContent => ({ type: 'diff', path: `/home/me/project/f${i}.ts`, oldText: 'a', newText: 'b' });
const exited = { code: 'agent_exited', params: {} } as const;

const works: Readonly<Record<string, (count: number) => unknown>> = {
  'turns that failed': (count) => draw(list(count, (i) => turnEnd(i, { type: 'failed', error: exited }))),
  'turns that were interrupted': (count) =>
    draw(list(count, (i) => [call(i, { content: [change(i)] }), turnEnd(i, { type: 'interrupted', error: exited })]).flat()),
  'turns that changed files': (count) => netChanges(list(count, (i) => ({ id: `t${i}`, files: [changed(`f${i}`)] }))),
  'changes and locations of a call': (count) => {
    const locations = list(count, (i) => ({ path: `/home/me/project/g${i}.ts`, line: 3 }));
    return draw([call(0, { content: list(count, change), locations })]);
  },
};

const changed = (path: string) => ({ path, status: 'modified', added: 1, removed: 1, by: 'tool' }) as const;

describe('the cost of the chat grows with the number of', () => {
  for (const [name, work] of Object.entries(works)) it(name, () => assertLinear((count) => () => work(count)));
});
