/** The rows, the selection and the badge of the Conversations view. */
import * as vscode from 'vscode';
import type { LazyTree } from './lazyTree.js';
import { childrenOf, type ListNode } from './listNodes.js';
import type { ListRow } from './listRow.js';

export interface ListContent {
  roots(): readonly ListNode[];
  parentOf(node: ListNode): ListNode | undefined;
  row(node: Extract<ListNode, { type: 'conversation' }>): ListRow;
}

export interface ListView {
  /** Sets the source of the rows. */
  fill(content: ListContent): void;
  refresh(): void;
  /**
   * Selects the row if the view is visible. Does not take the keyboard focus.
   * @returns whether the row is selected: not if the view was hidden in the meantime
   */
  select(node: ListNode): Promise<boolean>;
  setBadge(count: number): void;
  readonly isVisible: boolean;
  /** The selected rows, the focused one first. */
  readonly selectedIds: readonly string[];
  onVisibility(listener: () => void): vscode.Disposable;
}

/** @param tree owned by the caller */
export function createListView({ view, fill, refresh }: LazyTree): ListView {
  let selecting: ListNode | undefined;
  return {
    fill: (content) =>
      fill({
        getChildren: (node) => [...(node === undefined ? content.roots() : childrenOf(node))],
        getParent: (node) => content.parentOf(node),
        getTreeItem(node) {
          // VS Code asks for the row that it is to select, which may be long after `select`, and then shows the view.
          if (node === selecting && !view.visible) throw new Error('the view was hidden');
          return treeItem(node, content);
        },
      }),
    refresh,
    async select(node) {
      if (!view.visible) return false;
      if (view.selection.some(({ id }) => id === node.id)) return true;
      selecting = node;
      return view.reveal(node, { select: true, focus: false }).then(
        () => true,
        () => false,
      );
    },
    setBadge(count) {
      if ((view.badge?.value ?? 0) === count) return;
      const tooltip = count === 1 ? '1 conversation needs your input' : `${count} conversations need your input`;
      view.badge = count === 0 ? undefined : { value: count, tooltip };
    },
    get isVisible() {
      return view.visible;
    },
    get selectedIds() {
      return view.selection.flatMap((node) => (node.type === 'conversation' ? [node.id] : []));
    },
    onVisibility: (listener) => view.onDidChangeVisibility(listener),
  };
}

function treeItem(node: ListNode, content: ListContent): vscode.TreeItem {
  if (node.type !== 'conversation') {
    const label = node.type === 'folder' ? node.name : 'Archived';
    const group = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Expanded);
    group.id = node.id;
    group.contextValue = node.type;
    return group;
  }
  const row = content.row(node);
  const item = new vscode.TreeItem(row.name);
  const { isPinned, isArchived } = node.entry;
  item.id = node.id;
  item.contextValue = ['conversation', ...(isPinned ? ['pinned'] : []), ...(isArchived ? ['archived'] : [])].join(' ');
  item.command = { command: 'acpHost.openConversation', title: 'Open', arguments: [node] };
  item.description = row.description;
  item.tooltip = `${row.name}\n${row.description}`;
  item.iconPath = new vscode.ThemeIcon(row.icon, row.iconColor === undefined ? undefined : new vscode.ThemeColor(row.iconColor));
  item.accessibilityInformation = { label: row.spoken };
  return item;
}
