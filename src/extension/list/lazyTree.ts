/** The tree of the Conversations view as activation makes it, without anything that draws a row: looking at it loads the host. */
import * as vscode from 'vscode';
import type { ListNode } from './listNodes.js';

/** A provider that is set later. */
export interface LazyTree extends vscode.Disposable {
  readonly view: vscode.TreeView<ListNode>;
  /** From then on its rows come from there. */
  fill(provider: vscode.TreeDataProvider<ListNode>): void;
  /** Draws the rows anew. */
  refresh(): void;
}

/** @param load resolves when the tree was filled */
export function createLazyTree(load: () => Promise<unknown>): LazyTree {
  let provider: vscode.TreeDataProvider<ListNode> | undefined;
  const changes = new vscode.EventEmitter<undefined>();
  const view = vscode.window.createTreeView<ListNode>('acpHost.conversations', {
    treeDataProvider: {
      onDidChangeTreeData: changes.event,
      async getChildren(node) {
        await load();
        return provider?.getChildren(node);
      },
      getParent: (node) => provider?.getParent?.(node),
      // A row exists only once the provider has named it.
      getTreeItem: (node) => provider?.getTreeItem(node) ?? {},
    },
  });
  return {
    view,
    fill: (next) => (provider = next),
    refresh: () => changes.fire(undefined),
    dispose() {
      view.dispose();
      changes.dispose();
    },
  };
}
