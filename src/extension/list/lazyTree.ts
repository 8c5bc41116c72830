/** The tree of the Conversations view as activation creates it, without the code that draws rows. Looking at the tree loads the host. */
import * as vscode from 'vscode';
import type { ListNode } from './listNodes.js';

/** A tree whose provider is set later. */
export interface LazyTree extends vscode.Disposable {
  readonly view: vscode.TreeView<ListNode>;
  /** Sets the provider of the rows. */
  fill(provider: vscode.TreeDataProvider<ListNode>): void;
  /** Draws the rows again. */
  refresh(): void;
}

/** @param load resolves when the tree has its provider */
export function createLazyTree(load: () => Promise<unknown>): LazyTree {
  let provider: vscode.TreeDataProvider<ListNode> | undefined;
  // VS Code is the only listener, and activation is quicker without an emitter.
  let draw: ((changed: undefined) => void) | undefined;
  const view = vscode.window.createTreeView<ListNode>('acpHost.conversations', {
    treeDataProvider: {
      onDidChangeTreeData(listener) {
        draw = listener;
        return new vscode.Disposable(() => (draw = undefined));
      },
      async getChildren(node) {
        await load();
        return provider?.getChildren(node);
      },
      getParent: (node) => provider?.getParent?.(node),
      // Rows only exist once the provider has returned them.
      getTreeItem: (node) => provider?.getTreeItem(node) ?? {},
    },
  });
  return {
    view,
    fill: (next) => (provider = next),
    refresh: () => draw?.(undefined),
    dispose() {
      view.dispose();
    },
  };
}
