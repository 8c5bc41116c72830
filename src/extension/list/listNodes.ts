/** The Conversations view as a tree: folders, days, then conversations, and the other sessions of agents. Pure; the editor's view draws it. */
import { type AgentSessionList, type ConversationListEntry, type SavedSession, runsTurn } from '../../core/index.js';
import { dayGroup, inListOrder, isBlank, isOnTop, unseenEnds } from './listRow.js';

export type ListNode =
  | { readonly type: 'folder' | 'days'; readonly id: string; readonly name: string; readonly children: readonly ListNode[] }
  | { readonly type: 'archived'; readonly id: string; readonly children: readonly ListNode[] }
  | { readonly type: 'conversation'; readonly id: string; readonly entry: ConversationListEntry }
  /** The sessions of an agent that are no conversations. Its children are asked for when it is opened. */
  | { readonly type: 'others'; readonly id: string; readonly agent: AgentSessionList['agent']; readonly cwd: string }
  | {
      readonly type: 'session';
      readonly id: string;
      readonly agent: AgentSessionList['agent'];
      readonly cwd: string;
      readonly session: SavedSession;
      readonly offers: AgentSessionList['offers'];
    }
  /** `of`: the id of the node that has more sessions; `left`: how many. */
  | { readonly type: 'more'; readonly id: string; readonly of: string; readonly left: number }
  /** `of`: the id of the node whose sessions the agent lists only after a sign-in. */
  | { readonly type: 'sign_in'; readonly id: string; readonly of: string }
  | { readonly type: 'said'; readonly id: string; readonly text: string; readonly isError: boolean };

export interface ListInput {
  readonly entries: readonly ConversationListEntry[];
  /** The folders of the window, in its order. */
  readonly folders: readonly { readonly path: string; readonly name: string }[];
  readonly showsArchived: boolean;
  /** Returns what follows the conversations of a folder. */
  readonly others?: (cwd: string) => readonly ListNode[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Leaves out the level of folders if there is only one, and the level of days if all conversations are of one group of days. */
export function listNodes({ entries, folders, showsArchived, others = () => [], now }: ListInput): readonly ListNode[] {
  const shown = entries.filter((entry) => !isBlank(entry)).toSorted(inListOrder);
  const inFolder = (path: string): readonly ListNode[] => {
    const own = shown.filter(({ cwd }) => cwd === path);
    const current = byDay(
      own.filter((entry) => !isPutAway(entry)),
      path,
      now,
    );
    const archived = showsArchived ? own.filter(isPutAway).map(toNode) : [];
    const last: ListNode = { type: 'archived', id: `archived:${path}`, children: archived };
    return [...current, ...(archived.length === 0 ? [] : [last]), ...others(path)];
  };
  if (folders.length <= 1) return folders.flatMap(({ path }) => inFolder(path));
  return folders
    .map(({ path, name }): ListNode => ({ type: 'folder', id: `folder:${path}`, name, children: inFolder(path) }))
    .filter((node) => childrenOf(node).length > 0);
}

/** @param entries in the order of the list */
function byDay(entries: readonly ConversationListEntry[], path: string, now: number): readonly ListNode[] {
  const onTop = entries.filter(isOnTop).map(toNode);
  const groups = new Map<string, ConversationListEntry[]>();
  for (const entry of entries) {
    if (isOnTop(entry)) continue;
    const name = dayGroup(entry.usedAt, now);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [entry]);
    else group.push(entry);
  }
  if (groups.size <= 1) return [...onTop, ...[...groups.values()].flat().map(toNode)];
  const days = [...groups].map(([name, own]): ListNode => ({ type: 'days', id: `days:${path}:${name}`, name, children: own.map(toNode) }));
  return [...onTop, ...days];
}

/** An archived conversation that works or needs input stays in sight. */
function isPutAway(entry: ConversationListEntry): boolean {
  return entry.isArchived && !runsTurn(entry);
}

function toNode(entry: ConversationListEntry): ListNode {
  return { type: 'conversation', id: entry.id, entry };
}

export function childrenOf(node: ListNode): readonly ListNode[] {
  return 'children' in node ? node.children : [];
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

/** The number of conversations that need input, and what the badge says on hover. */
export interface Badge {
  readonly value: number;
  readonly tooltip: string;
}

/** Counts in all folders, archived or not. @returns undefined if none needs input */
export function badgeOf(entries: readonly ConversationListEntry[]): Badge | undefined {
  const value = entries.filter(({ activity }) => activity === 'needs_input').length;
  const { text } = unseenEnds(entries);
  const needs = value === 1 ? '1 conversation needs input' : `${value} conversations need input`;
  return value === 0 ? undefined : { value, tooltip: text === '' ? needs : `${needs}, ${text}` };
}
