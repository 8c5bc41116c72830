/** Maps the kind of an item to the function that draws it. */
import type { ItemView } from '../../contract/view.js';
import type { ItemContext, ItemNode } from './itemNode.js';
import { createAgentItem, createPlanItem, createThoughtItem, createUserItem } from './messageItems.js';
import type { RestoreView } from './messageEdit.js';
import { createNoticeItem, createTurnEndItem } from './noticeItems.js';
import { createSubagentItem } from './subagentItem.js';
import { createToolItem } from './toolItem.js';

type Of<K extends ItemView['kind']> = Extract<ItemView, { kind: K }>;

const creators: { readonly [K in ItemView['kind']]: (view: Of<K>, context: ItemContext) => ItemNode<Of<K>> } = {
  user: createUserItem,
  agent: createAgentItem,
  thought: createThoughtItem,
  tool: createToolItem,
  notice: createNoticeItem,
  plan: createPlanItem,
  subagent: createSubagentItem,
  turn_end: createTurnEndItem,
};

/** A node together with its kind, so that it only gets views of that kind. */
export interface DrawnItem {
  readonly kind: ItemView['kind'];
  readonly element: HTMLElement;
  /** Contains the items of a sub-agent. */
  readonly inner?: HTMLElement;
  /** @returns false if the view is of a different kind and needs a different node */
  update(view: ItemView): boolean;
  append(text: string): void;
  edit(restore: RestoreView): void;
  dispose(): void;
}

/** Whether `loadMarkdown` must be done before the item is drawn. */
export function containsMarkdown({ kind }: ItemView): boolean {
  return kind === 'agent' || kind === 'thought' || kind === 'plan';
}

export function drawItem(view: ItemView, context: ItemContext): DrawnItem {
  return draw(view.kind, view, context);
}

function draw<K extends ItemView['kind']>(kind: K, view: Of<K>, context: ItemContext): DrawnItem {
  const node = creators[kind](view, context);
  const isOwn = (next: ItemView): next is Of<K> => next.kind === kind;
  return {
    kind,
    element: node.element,
    ...(node.inner === undefined ? {} : { inner: node.inner }),
    update(next) {
      if (!isOwn(next)) return false;
      node.update(next);
      return true;
    },
    append: (text) => node.append?.(text),
    edit: (restore) => node.edit?.(restore),
    dispose: () => node.dispose?.(),
  };
}
