/** What an agent counts costs the page time in proportion to its number. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Op } from '../../src/contract/messages.js';
import type { ItemView } from '../../src/contract/view.js';
import { emptyDraft, valueOf } from '../../src/webview/prompts/formDraft.js';
import { assertLinear, assertLinearCost } from '../linearTime.js';
import { hostForTests } from './pageTests.js';
import { emptyView, toolItem, userItem } from './views.js';

const host = hostForTests();

const list = <T>(count: number, one: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => one(index));
const put = (item: ItemView): Op => ({ op: 'item', item });

/** As many as the page draws at first, so that older ones are not drawn. */
const newest = list(100, (i) => userItem(`new${i}`, 'new'));
const withEarlier = (count: number): ItemView[] => [...list(count, (i) => userItem(`u${i}`, 'before')), ...newest];

interface Case {
  readonly small: number;
  readonly items: (count: number) => ItemView[];
  /** What comes then, before the message that is measured. */
  readonly first?: (count: number) => Op[];
  readonly ops: (count: number) => Op[];
}

const cases: Readonly<Record<string, Case>> = {
  'earlier entries that change': {
    small: 1_000,
    items: withEarlier,
    ops: (count) => list(count, (i) => put(userItem(`u${i}`, 'after'))),
  },
  'earlier entries that grow': {
    small: 500,
    items: withEarlier,
    ops: (count) => list(count, (i) => ({ op: 'append', id: `u${i}`, text: ' and after' })),
  },
  'files that were read': {
    small: 250,
    items: () => [],
    first: (count) => list(count, (i) => put(toolItem(`t${i}`))),
    ops: (count) => list(count, (i) => put(toolItem(`t${i}`, { endedAt: 0 }))),
  },
};

describe('the cost of the page grows with the number of', () => {
  for (const [name, { small, items, first = () => [], ops }] of Object.entries(cases))
    test(name, async () => {
      const { page, assertClean, close } = await host.open({ ownPage: true });
      await assertLinearCost(
        (count, times) =>
          page.evaluate(
            async ({ messages: [snapshot, before, measured], repeats }) => {
              let ms = 0;
              for (let time = 0; time < repeats; time++) {
                await window.deliver(snapshot);
                await window.deliver(before);
                // Measures no frame that is due anyway.
                await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
                const began = performance.now();
                await window.deliver(measured);
                ms += performance.now() - began;
              }
              return ms;
            },
            {
              messages: [
                { type: 'snapshot', revision: 10, view: emptyView({ items: items(count) }), draft: '' },
                { type: 'patch', revision: 11, ops: first(count) },
                { type: 'patch', revision: 12, ops: ops(count) },
              ],
              repeats: times,
            },
          ),
        small,
      );
      await assertClean();
      await close();
    });

  test('choices that a form suggests', () =>
    assertLinear((count) => () => {
      const choices = list(count, (i) => ({ value: `v${i}`, label: 'x' }));
      const defaultValue = choices.map(({ value }) => value);
      const field = { type: 'multiselect', name: 'x', required: true, allowCustom: true, choices, defaultValue } as const;
      assert.deepEqual(valueOf(field, emptyDraft(field)), defaultValue);
    }));
});
