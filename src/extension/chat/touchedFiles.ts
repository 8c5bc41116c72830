/** Finds the files that a turn may have changed, as far as its tool calls show. */
import type { LocationView } from '../../contract/viewParts.js';
import type { SessionState, ToolItem, ToolKind } from '../../core/index.js';
import { shortPath } from './toolView.js';
import { itemsOfTurn } from './turnItems.js';

const changing: ReadonlySet<ToolKind> = new Set(['edit', 'delete', 'move']);

/** Returns the files in the order in which they were first named. A failed call changed nothing; an interrupted one may have. */
export function touchedFiles({ items, cwd }: SessionState, turnId: string): LocationView[] {
  const calls = itemsOfTurn(items, turnId).filter((item): item is ToolItem => item.kind === 'tool' && item.status !== 'failed');
  const paths = new Set(calls.flatMap(pathsOf));
  return [...paths].map((path) => ({ path, label: shortPath(path, cwd) }));
}

function pathsOf({ content, locations, toolKind }: ToolItem): string[] {
  const diffs = content.flatMap((part) => (part.type === 'diff' ? [part.path] : []));
  return changing.has(toolKind) ? [...diffs, ...locations.map(({ path }) => path)] : diffs;
}
