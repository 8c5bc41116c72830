/** The Conversations view of the editor. Made at activation, and filled when the host is loaded: looking at it is the first touch. */
import * as vscode from 'vscode';
import { childrenOf, type ListNode } from './listNodes.js';
import type { ListRow } from './listRow.js';

export interface ListContent {
  roots(): readonly ListNode[];
  parentOf(node: ListNode): ListNode | undefined;
  row(node: Extract<ListNode, { type: 'conversation' }>): ListRow;
}

export interface ListView {
  /** From then on its rows come from there. */
  fill(content: ListContent): void;
  refresh(): void;
  /** Selects the row, where the view is on screen. It does not take the keyboard. */
  select(node: ListNode): void;
  setBadge(count: number): void;
  readonly isVisible: boolean;
  /** The rows that are selected, the one with the focus first. */
  readonly selectedIds: readonly string[];
  onVisibility(listener: () => void): vscode.Disposable;
  dispose(): void;
}

/** @param load resolves when the view was filled */
export function createListView(load: () => Promise<unknown>): ListView {
  let content: ListContent | undefined;
  const onChange = new vscode.EventEmitter<undefined>();
  const view = vscode.window.createTreeView<ListNode>('acpHost.conversations', {
    treeDataProvider: {
      onDidChangeTreeData: onChange.event,
      async getChildren(node) {
        await load();
        return node === undefined ? [...(content?.roots() ?? [])] : [...childrenOf(node)];
      },
      getParent: (node) => content?.parentOf(node),
      getTreeItem: (node) => treeItem(node, content),
    },
  });
  return {
    fill: (next) => (content = next),
    refresh: () => onChange.fire(undefined),
    select(node) {
      if (!view.visible || view.selection.some(({ id }) => id === node.id)) return;
      // A row that the view does not have yet is selected when it is drawn next.
      view.reveal(node, { select: true, focus: false }).then(undefined, () => {});
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
    dispose() {
      view.dispose();
      onChange.dispose();
    },
  };
}

function treeItem(node: ListNode, content: ListContent | undefined): vscode.TreeItem {
  if (node.type !== 'conversation') {
    const label = node.type === 'folder' ? node.name : 'Archived';
    const group = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Expanded);
    group.id = node.id;
    group.contextValue = node.type;
    return group;
  }
  const row = content?.row(node);
  const item = new vscode.TreeItem(row?.name ?? '');
  const { isPinned, isArchived } = node.entry;
  item.id = node.id;
  item.contextValue = ['conversation', ...(isPinned ? ['pinned'] : []), ...(isArchived ? ['archived'] : [])].join(' ');
  item.command = { command: 'acpHost.openConversation', title: 'Open', arguments: [node] };
  if (row === undefined) return item;
  item.description = row.description;
  item.tooltip = `${row.name}\n${row.description}`;
  item.iconPath = new vscode.ThemeIcon(row.icon, row.iconColor === undefined ? undefined : new vscode.ThemeColor(row.iconColor));
  item.accessibilityInformation = { label: row.spoken };
  return item;
}
