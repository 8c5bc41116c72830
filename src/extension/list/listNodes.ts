/** The Conversations view as a tree: folders, then conversations. Pure; the editor's view draws it. */
import type { ConversationListEntry } from '../../core/index.js';
import { inListOrder, isBlank } from './listRow.js';

export type ListNode =
  | { readonly type: 'folder'; readonly id: string; readonly name: string; readonly children: readonly ListNode[] }
  | { readonly type: 'archived'; readonly id: string; readonly children: readonly ListNode[] }
  | { readonly type: 'conversation'; readonly id: string; readonly entry: ConversationListEntry };

export interface ListInput {
  readonly entries: readonly ConversationListEntry[];
  /** The folders of the window, in its order. */
  readonly folders: readonly { readonly path: string; readonly name: string }[];
  readonly showsArchived: boolean;
}

/** Leaves out the level of folders if there is only one. */
export function listNodes({ entries, folders, showsArchived }: ListInput): readonly ListNode[] {
  const shown = entries.filter((entry) => !isBlank(entry)).toSorted(inListOrder);
  const inFolder = (path: string): readonly ListNode[] => {
    const own = shown.filter(({ cwd }) => cwd === path);
    const current = own.filter((entry) => !isPutAway(entry)).map(toNode);
    const archived = showsArchived ? own.filter(isPutAway).map(toNode) : [];
    return archived.length === 0 ? current : [...current, { type: 'archived', id: `archived:${path}`, children: archived }];
  };
  if (folders.length <= 1) return folders.flatMap(({ path }) => inFolder(path));
  return folders
    .map(({ path, name }): ListNode => ({ type: 'folder', id: `folder:${path}`, name, children: inFolder(path) }))
    .filter((node) => childrenOf(node).length > 0);
}

/** An archived conversation that works or needs input stays in sight. */
function isPutAway({ isArchived, activity }: ConversationListEntry): boolean {
  return isArchived && activity !== 'needs_input' && activity !== 'busy';
}

function toNode(entry: ConversationListEntry): ListNode {
  return { type: 'conversation', id: entry.id, entry };
}

export function childrenOf(node: ListNode): readonly ListNode[] {
  return node.type === 'conversation' ? [] : node.children;
}

/** @returns the path from the root to the node itself; undefined if there is no such node */
export function pathTo(nodes: readonly ListNode[], id: string): readonly ListNode[] | undefined {
  for (const node of nodes) {
    if (node.id === id) return [node];
    const below = pathTo(childrenOf(node), id);
    if (below !== undefined) return [node, ...below];
  }
  return undefined;
}

/** Counts the conversations of all folders, archived or not. */
export function needingInput(entries: readonly ConversationListEntry[]): number {
  return entries.filter(({ activity }) => activity === 'needs_input').length;
}
