import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { opSchema } from '../../src/contract/messages.js';
import type { ChatView, ItemView } from '../../src/contract/view.js';
import { diffViews } from '../../src/extension/pages/pageLink.js';
import { applyOp, applySnapshot, createSections, type ItemSink } from '../../src/webview/base/store.js';
import { emptyChatView } from './views.js';

const text = fc.string({ maxLength: 8 });

const item = (id: string): fc.Arbitrary<ItemView> =>
  fc.oneof(
    text.map((words): ItemView => ({ kind: 'user', id, text: words, attachments: [], at: 1 })),
    fc.tuple(text, fc.boolean()).map(([markdown, open]): ItemView => ({ kind: 'agent', id, markdown, attachments: [], open, at: 1 })),
    text.map((words): ItemView => ({ kind: 'thought', id, text: words, open: true, startedAt: 1 })),
    fc.tuple(text, fc.boolean()).map(
      ([output, known]): ItemView => ({
        kind: 'tool',
        id,
        toolKind: 'execute',
        title: 'run',
        verb: 'Run',
        status: 'in_progress',
        statusText: 'running',
        diffs: [],
        locations: [],
        attachments: [],
        startedAt: 1,
        ...(known ? { output } : {}),
      }),
    ),
    fc.tuple(text, fc.boolean()).map(
      ([words, cut]): ItemView => ({
        kind: 'turn_end',
        id,
        severity: 'error',
        text: words,
        durationMs: 1,
        files: cut ? [{ path: words, label: words }] : [],
        buttons: [],
        at: 1,
      }),
    ),
    text.map((title): ItemView => ({ kind: 'notice', id, severity: 'info', title, buttons: [], at: 1 })),
  );

const items = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { maxLength: 6 }).chain((ids) => fc.tuple(...ids.map(item)));

const view = fc
  .record({ items, title: text, waiting: fc.boolean(), held: fc.array(text, { maxLength: 3 }), placeholder: text })
  .map(({ items: list, title, waiting, held, placeholder }): ChatView => {
    const empty = emptyChatView();
    return {
      ...empty,
      items: list,
      header: { ...empty.header, agent: title },
      wait: waiting ? { text: title, since: 1, buttons: [] } : null,
      held: held.map((words, index) => ({
        title: words,
        text: words,
        prompts: [{ id: `h${index}`, text: words }],
        buttons: [],
      })),
      composer: { ...empty.composer, placeholder },
    };
  });

/** Applies operations like the page, but to a plain list of items. */
function page(start: ChatView) {
  const list: ItemView[] = [];
  const indexOf = (id: string): number => list.findIndex((one) => one.id === id);
  const sink: ItemSink = {
    reset: (next) => void list.splice(0, list.length, ...next),
    put(one) {
      const index = indexOf(one.id);
      if (index < 0) list.push(one);
      else list[index] = one;
    },
    append(id, more) {
      const index = indexOf(id);
      const one = list[index];
      assert.ok(one !== undefined, `appended to ${id}, which is not there`);
      if (one.kind === 'agent') list[index] = { ...one, markdown: one.markdown + more };
      else if (one.kind === 'tool') list[index] = { ...one, output: (one.output ?? '') + more };
      else if (one.kind === 'user' || one.kind === 'thought') list[index] = { ...one, text: one.text + more };
    },
    remove(id) {
      const index = indexOf(id);
      assert.ok(index >= 0, `removed ${id}, which is not there`);
      list.splice(index, 1);
    },
    get count() {
      return list.length;
    },
  };
  const sections = createSections();
  applySnapshot(sections, sink, start);
  return {
    apply: (op: Parameters<typeof applyOp>[2]) => applyOp(sections, sink, op),
    read: (): ChatView => ({
      header: sections.header.value,
      banner: sections.banner.value,
      items: list,
      empty: sections.empty.value,
      plans: sections.plans.value.map((plan) => [...plan]),
      prompts: [...sections.prompts.value],
      wait: sections.wait.value,
      queue: sections.queue.value,
      held: [...sections.held.value],
      review: sections.review.value,
      unsaved: sections.unsaved.value,
      composer: sections.composer.value,
    }),
  };
}

test('a page that applies the difference has the next view', () => {
  fc.assert(
    fc.property(view, view, (previous, next) => {
      const drawn = page(previous);
      for (const op of diffViews(previous, next)) drawn.apply(opSchema.parse(op));
      assert.deepEqual(drawn.read(), next);
    }),
  );
});

test('an unchanged view sends nothing', () => {
  fc.assert(fc.property(view, (one) => assert.deepEqual(diffViews(one, { ...structuredClone(one), items: one.items }), [])));
});

test('a growing answer sends only what was added', () => {
  const before: ChatView = {
    ...emptyChatView(),
    items: [{ kind: 'agent', id: 'a', markdown: 'one ', attachments: [], open: true, at: 1 }],
  };
  const after: ChatView = { ...before, items: [{ kind: 'agent', id: 'a', markdown: 'one two', attachments: [], open: true, at: 1 }] };
  assert.deepEqual(diffViews(before, after), [{ op: 'append', id: 'a', text: 'two' }]);
});

test('in a long conversation only changes are sent', () => {
  const many = Array.from(
    { length: 5_000 },
    (_, index): ItemView => ({ kind: 'user', id: `u${index}`, text: `${index}`, attachments: [], at: index }),
  );
  const before: ChatView = { ...emptyChatView(), items: many };
  const added: ItemView = { kind: 'user', id: 'new', text: 'new', attachments: [], at: 1 };
  assert.deepEqual(diffViews(before, { ...before, items: [...many, added] }), [{ op: 'item', item: added }]);
});
