/** One message costs time in proportion to its size, whatever an agent counts in it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openDialog } from '../../../src/cli/input/requestDialog.js';
import { paintFor } from '../../../src/cli/output/terminalText.js';
import type { PermissionRequest } from '../../../src/core/session/userRequest.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import { UserRequestRegistry } from '../../../src/core/services/userRequests.js';
import { emptySession, reduceAll } from '../../../src/core/session/reducer.js';
import { promptViews } from '../../../src/extension/chat/pendingPrompts.js';
import { processorMs } from '../../processorTime.js';
import { permissionOf } from './permissionOf.js';

const list = <T>(count: number, one: (index: number) => T): readonly T[] => Array.from({ length: count }, (_, index) => one(index));
const text = (words: string) => ({ type: 'content', content: { type: 'text', text: words } }) as const;

const requests: Readonly<Record<string, (count: number) => PermissionRequest>> = {
  options: (count) => permissionOf({}, { options: list(count, (i) => ({ optionId: `o${i}`, name: `Option ${i}`, kind: 'allow_once' })) }),
  locations: (count) => permissionOf({ locations: list(count, (i) => ({ path: `/project/f${i}` })) }),
  contents: (count) => permissionOf({ rawInput: { command: 'ls' }, content: list(count, (i) => text(`t${i}`)) }),
  diffs: (count) => permissionOf({ content: list(count, (i) => ({ type: 'diff', path: `/project/${i}`, oldText: 'a', newText: 'b' })) }),
  commands: (count) => permissionOf({ rawInput: { commands: list(count, (i) => `echo ${i}`) } }),
  arguments: (count) => permissionOf({ rawInput: Object.fromEntries(list(count, (i) => [`k${i}`, `v${i}`])) }),
  'words of a shell': (count) => permissionOf({ rawInput: { command: 'sh '.repeat(10 * count) } }),
};

const tool = (i: number): SessionEvent => ({ type: 'tool', at: i, id: `t${i}`, toolCallId: `t${i}`, patch: { status: 'pending' } });
const asked = (i: number): readonly SessionEvent[] => [
  { type: 'request_opened', at: i, request: { ...permissionOf({ toolCallId: `t${i}`, itemId: `t${i}` }), id: `r${i}` } },
  { type: 'request_closed', at: i, requestId: `r${i}`, answer: { type: 'cancel' } },
];

const works: Readonly<Record<string, (count: number) => unknown>> = {
  ...Object.fromEntries(
    Object.entries(requests).flatMap(([name, make]): [string, (count: number) => unknown][] => [
      [`${name} at a terminal`, (count) => openDialog(make(count), { paint: paintFor(false), agentLabel: 'agent', cwd: '/project' })],
      [
        `${name} in a page`,
        (count) => promptViews()([[make(count), { agent: 'agent', cwd: '/project', outsideTurn: false, folder: undefined }]]),
      ],
    ]),
  ),
  'open requests': (count) => {
    const registry = new UserRequestRegistry({ opened: () => {}, closed: () => {} }, { now: () => 0 });
    const options = [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }] as const;
    for (const request of list(count, () => permissionOf({}, { options })))
      void registry.requestUser(request, new AbortController().signal);
    registry.cancelAll('agent_gone');
  },
  'requests about many open calls': (count) =>
    reduceAll(emptySession('s', '/project', 0), [
      { type: 'turn_started', at: 0, turnId: '1' },
      ...list(count, tool),
      ...list(count, asked).flat(),
    ]),
};

describe('the cost grows with the number of', () => {
  for (const [name, work] of Object.entries(works))
    test(name, () => {
      const cost = (count: number): number => {
        const began = processorMs();
        work(count);
        return processorMs() - began;
      };
      cost(2_000);
      const [small, large] = [Math.max(5, cost(2_000)), cost(16_000)];
      // Eight times as many: a search inside a loop would take 64 times as long.
      assert.ok(large < 24 * small, `${small} ms, then ${large} ms`);
    });
});
