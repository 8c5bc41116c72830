/** Kind of an item → what draws it. */
import type { ItemView } from '../../contract/view.js';
import type { ItemContext, ItemNode } from './itemNode.js';
import { createAgentItem, createThoughtItem, createUserItem } from './messageItems.js';
import { createNoticeItem, createTurnEndItem } from './noticeItems.js';
import { createToolItem } from './toolItem.js';

type Of<K extends ItemView['kind']> = Extract<ItemView, { kind: K }>;

const creators: { readonly [K in ItemView['kind']]: (view: Of<K>, context: ItemContext) => ItemNode<Of<K>> } = {
  user: createUserItem,
  agent: createAgentItem,
  thought: createThoughtItem,
  tool: createToolItem,
  notice: createNoticeItem,
  turn_end: createTurnEndItem,
};

/** A node together with its kind, so that only a view of that kind reaches it. */
export interface DrawnItem {
  readonly kind: ItemView['kind'];
  readonly element: HTMLElement;
  /** False: the view is of another kind and needs another node. */
  update(view: ItemView): boolean;
  append(text: string): void;
  dispose(): void;
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
    update(next) {
      if (!isOwn(next)) return false;
      node.update(next);
      return true;
    },
    append: (text) => node.append?.(text),
    dispose: () => node.dispose?.(),
  };
}
