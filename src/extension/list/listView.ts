/** The rows, the selection and the badge of the Conversations view. */
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { type Disposable, stripControls } from '../../core/index.js';
import { withoutDirection } from '../../text/plainText.js';
import type { LazyTree } from './lazyTree.js';
import type { Badge, ListNode } from './listNodes.js';
import { type ListRow, type RowMark, rowMarks, rowName, sessionRow } from './listRow.js';

/** The argument of a command: the row on which it was invoked, or what its key binding in package.json passes. */
const rowSchema = z.object({ type: z.literal('conversation'), id: z.string() });
const keySchema = z.object({ from: z.literal('list') });

/**
 * @param focused finds the row that has the keyboard focus
 * @returns the row of a conversation in the list, or for a key of a session, that a command applies to, without an id if none has the focus;
 * undefined if the command was invoked elsewhere
 */
export async function listTarget(
  argument: unknown,
  focused: () => Promise<Pick<ListNode, 'type' | 'id'> | undefined>,
): Promise<{ readonly type: 'conversation' | 'session'; readonly id: string | undefined } | undefined> {
  const row = rowSchema.safeParse(argument);
  if (row.success) return row.data;
  if (!keySchema.safeParse(argument).success) return undefined;
  const node = await focused();
  return node?.type === 'session' || node?.type === 'conversation'
    ? { type: node.type, id: node.id }
    : { type: 'conversation', id: undefined };
}

const otherSchema = z.object({ type: z.enum(['session', 'others']), id: z.string() });
const moreSchema = z.object({ type: z.enum(['more', 'sign_in']), of: z.string() });

/** @returns the id of the row that a command for the other sessions of an agent applies to; undefined if it was invoked elsewhere */
export function otherTarget(argument: unknown): string | undefined {
  return otherSchema.safeParse(argument).data?.id ?? moreSchema.safeParse(argument).data?.of;
}

export interface ListContent {
  roots(): readonly ListNode[];
  childrenOf(node: ListNode): readonly ListNode[] | Promise<readonly ListNode[]>;
  parentOf(node: ListNode): ListNode | undefined;
  row(node: Extract<ListNode, { type: 'conversation' }>): ListRow;
}

export interface ListView extends Disposable {
  /** Sets the source of the rows. */
  fill(content: ListContent): void;
  refresh(): void;
  /**
   * Selects the row if the view is visible. Does not take the keyboard focus.
   * @returns whether the row is selected: not if the view was hidden in the meantime
   */
  select(node: ListNode): Promise<boolean>;
  /** Leaves no conversation selected. */
  deselect(): void;
  setBadge(badge: Badge | undefined): void;
  readonly isVisible: boolean;
  /** Finds the row with the keyboard focus, which a key applies to. The arrow keys move it without selecting anything. */
  focused(): Promise<ListNode | undefined>;
  onVisibility(listener: () => void): vscode.Disposable;
}

/** VS Code asks for the mark of a row by the URI of the row. */
const markScheme = 'acp-host-conversation';

/** @param tree owned by the caller */
export function createListView({ view, fill, refresh }: LazyTree): ListView {
  let selecting: ListNode | undefined;
  /** How often each row was deselected. Extensions can't clear a selection, but a row with another id is not the selected one. */
  const deselected = new Map<string, number>();
  const marks = vscode.window.registerFileDecorationProvider({
    provideFileDecoration: ({ scheme, query }) => (scheme === markScheme ? decorationOf(query) : undefined),
  });
  return {
    dispose: () => void marks.dispose(),
    fill: (content) =>
      fill({
        getChildren: async (node) => [...(node === undefined ? content.roots() : await content.childrenOf(node))],
        getParent: (node) => content.parentOf(node),
        getTreeItem(node) {
          // VS Code asks for the row that it is to select, which may be long after `select`, and then shows the view.
          if (node === selecting && !view.visible) throw new Error('the view was hidden');
          const item = treeItem(node, content);
          const times = deselected.get(node.id);
          return times === undefined ? item : Object.assign(item, { id: `${node.id} ${times}` });
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
    deselect() {
      // A group with another id would be expanded or collapsed again.
      const rows = view.selection.filter(({ type }) => type === 'conversation');
      for (const { id } of rows) deselected.set(id, (deselected.get(id) ?? 0) + 1);
      if (rows.length > 0) refresh();
    },
    setBadge(badge) {
      if (view.badge?.tooltip !== badge?.tooltip) view.badge = badge;
    },
    get isVisible() {
      return view.visible;
    },
    async focused() {
      // Extensions don't see the focus, but this adds the focused row to the selection or removes it, without opening it.
      const toggle = (): Thenable<unknown> => vscode.commands.executeCommand('list.toggleSelection');
      // What was selected before the first time may only be known after it.
      await toggle();
      const before = view.selection;
      await toggle();
      const after = view.selection;
      const has = (rows: readonly ListNode[], { id }: ListNode): boolean => rows.some((row) => row.id === id);
      return [...before, ...after].find((node) => has(before, node) !== has(after, node));
    },
    onVisibility: (listener) => view.onDidChangeVisibility(listener),
  };
}

function treeItem(node: ListNode, content: ListContent): vscode.TreeItem {
  if (isOther(node)) return otherItem(node);
  if (node.type !== 'conversation') {
    const group = new vscode.TreeItem(node.type === 'archived' ? 'Archived' : node.name, vscode.TreeItemCollapsibleState.Expanded);
    group.id = node.id;
    group.contextValue = node.type;
    return group;
  }
  const row = content.row(node);
  const item = new vscode.TreeItem(rowName(row));
  const { isPinned, isArchived } = node.entry;
  item.id = node.id;
  item.contextValue = ['conversation', ...(isPinned ? ['pinned'] : []), ...(isArchived ? ['archived'] : [])].join(' ');
  item.command = { command: 'acpHost.openConversation', title: 'Open', arguments: [node] };
  item.description = inReadingOrder(row.beside);
  item.tooltip = `${row.name}\n${row.description}`;
  item.iconPath = isPinned ? new vscode.ThemeIcon('pinned') : { light: iconUri(row.agent, 'light'), dark: iconUri(row.agent, 'dark') };
  item.resourceUri = markUri(node.id, row.mark);
  item.accessibilityInformation = { label: row.spoken };
  return item;
}

/** What belongs to the sessions of an agent that are no conversations. */
type OtherNode = Extract<ListNode, { type: 'others' | 'session' | 'more' | 'sign_in' | 'said' }>;

function isOther(node: ListNode): node is OtherNode {
  return ['others', 'session', 'more', 'sign_in', 'said'].includes(node.type);
}

function otherItem(node: OtherNode): vscode.TreeItem {
  switch (node.type) {
    case 'others': {
      const { label } = node.agent;
      const tooltip = `What ${label} has saved for this folder and is no conversation here yet, for example sessions of its own command line. Opening this starts ${label}.`;
      return rowOf(node, `Other Sessions of ${label}`, { tooltip, collapsibleState: vscode.TreeItemCollapsibleState.Collapsed });
    }
    case 'session': {
      const { name, beside, spoken } = sessionRow(node, Date.now());
      return rowOf(node, name, {
        label: rowName({ name: plain(name), beside }),
        contextValue: ['session', ...node.offers].join(' '),
        command: { command: 'acpHost.openAgentSession', title: 'Open', arguments: [node] },
        description: inReadingOrder(beside),
        tooltip: `${name}\n${node.agent.label}, ${node.session.sessionId}`,
        iconPath: { light: iconUri(node.agent.label, 'light'), dark: iconUri(node.agent.label, 'dark') },
        accessibilityInformation: { label: spoken },
      });
    }
    case 'more':
      return rowOf(node, 'Load More…', {
        description: `${node.left} more`,
        command: { command: 'acpHost.loadMoreAgentSessions', title: 'Load More…', arguments: [node] },
      });
    case 'sign_in':
      return rowOf(node, 'Sign In', {
        iconPath: new vscode.ThemeIcon('sign-in'),
        command: { command: 'acpHost.signInForSessions', title: 'Sign In', arguments: [node] },
      });
    case 'said':
      return rowOf(node, node.text, { tooltip: node.text, iconPath: new vscode.ThemeIcon(node.isError ? 'error' : 'info') });
  }
}

function rowOf({ id, type }: ListNode, text: string, more: vscode.TreeItem): vscode.TreeItem {
  const label = plain(text);
  return Object.assign(new vscode.TreeItem(label), { id, contextValue: type, accessibilityInformation: { label } }, more);
}

/** Otherwise, the number of an age would move to the other side of a name that is written from right to left. */
function inReadingOrder(beside: string): string {
  return beside === '' ? '' : `\u200e${beside}`;
}

function plain(text: string): string {
  return withoutDirection(stripControls(text)).replaceAll('\n', ' ');
}

/** The same for all rows with the same agent. */
function iconUri(agent: string | undefined, theme: 'light' | 'dark'): vscode.Uri {
  return vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(agentIcon(agent, theme)).toString('base64')}`);
}

/** A row with another mark has another URI, because VS Code keeps the decoration of a URI. */
function markUri(id: string, mark: RowMark | undefined): vscode.Uri {
  return vscode.Uri.from({ scheme: markScheme, path: `/${id}`, query: mark?.words ?? '' });
}

function decorationOf(words: string): vscode.FileDecoration | undefined {
  const mark = rowMarks.get(words);
  if (mark === undefined) return undefined;
  // Without words: the hover of the row says them.
  return new vscode.FileDecoration(mark.sign, undefined, mark.color === undefined ? undefined : new vscode.ThemeColor(mark.color));
}

/** The icon of an agent: the first letters of its name, because no agent brings a picture of itself. Pure. */

const foregrounds = { light: '#424242', dark: '#c5c5c5' } as const;

/** @returns an SVG image with 16 by 16 pixels */
export function agentIcon(label: string | undefined, theme: keyof typeof foregrounds): string {
  const color = foregrounds[theme];
  const text = `<text x="8" y="11.2" text-anchor="middle" font-family="sans-serif" font-size="8.5" font-weight="600" fill="${color}">${lettersOf(label)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16"><rect x="1" y="1.5" width="14" height="13" rx="3" fill="none" stroke="${color}"/>${text}</svg>`;
}

/** Two letters, because the names of many agents begin with the same one. Nothing else of the name gets into the image. */
function lettersOf(label: string | undefined): string {
  const [first, second = ''] = [...(label ?? '').matchAll(/[\p{L}\p{N}]/gu)].map(([letter]) => letter);
  return first === undefined ? '?' : `${first.toUpperCase()}${second.toLowerCase()}`;
}
