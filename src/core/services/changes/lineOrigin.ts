/** Finds the turn that wrote a line, by following the line back through the versions that change sets have of its file. */
import { lineBefore } from '../../base/lineDiff.js';
import type { LineOrigin } from '../../session/changes.js';
import type { BytePath } from './differences.js';
import type { ChangeRecords, FileChange } from './records.js';

export interface LineHistory {
  /** The change sets that changed the file, the newest first. @throws HostError `changes_unknown` */
  changesOf(path: BytePath): Promise<readonly FileChange[]>;
  /** The text of a version. @throws HostError `changes_unknown` */
  text(version: string): Promise<string>;
  /** The ids of the change sets that an undo took back; undefined for a turn. @throws HostError `changes_unknown` */
  undoneBy(change: FileChange): Promise<readonly string[] | undefined>;
  /** What the file was called before, if the change set renamed it. @throws HostError `changes_unknown` */
  renamedFrom(change: FileChange, path: BytePath): Promise<BytePath | undefined>;
}

/** What is recorded of a folder. */
export function lineHistory(records: ChangeRecords): LineHistory {
  /** What one change set left is mostly what the next one found. */
  let last: { readonly version: string; readonly text: string } | undefined;
  return {
    changesOf: (path) => records.changesOf(path),
    async text(version) {
      if (last?.version !== version) last = { version, text: (await records.content(version)).toString('utf8') };
      return last.text;
    },
    undoneBy: async (change) => (await records.undoneBy(change))?.map(({ id }) => id),
    renamedFrom: async ({ conversationId, id }, path) =>
      (await records.differences(conversationId, id)).find((file) => file.path === path && file.from !== path)?.from,
  };
}

/** A line of a file. */
export interface FileLine {
  readonly path: BytePath;
  /** 1-based. */
  readonly line: number;
  /** All of the file. */
  readonly text: string;
}

/** More changes of one file are not looked at. */
const maxChanges = 1_000;

/** @returns undefined if no turn wrote the line @throws HostError `changes_unknown` */
export async function findLineOrigin(history: LineHistory, place: FileLine): Promise<LineOrigin | undefined> {
  let { path, line, text } = place;
  let changes = await history.changesOf(path);
  /** Whether an earlier text has the line; if so, that is where the search goes on. */
  const goesOnIn = (earlier: string): boolean => {
    const found = lineBefore(earlier, text, line);
    if (found !== undefined) [line, text] = [found, earlier];
    return found !== undefined;
  };
  for (let looked = 0; looked < maxChanges; looked++) {
    const [change] = changes;
    // What is not there after the newest change was written later, by the user.
    if (change?.after === undefined || !goesOnIn(await history.text(change.after))) return undefined;
    changes = changes.slice(1);
    let { before } = change;
    if (before === undefined) {
      const from = await history.renamedFrom(change, path);
      if (from !== undefined) {
        path = from;
        const all = await history.changesOf(path);
        before = all.find(({ id }) => id === change.id)?.before;
        changes = all.filter(({ id, at }) => id !== change.id && at <= change.at);
      }
    }
    if (before !== undefined && goesOnIn(await history.text(before))) continue;
    const undone = await history.undoneBy(change);
    if (undone === undefined) return { conversationId: change.conversationId, turnId: change.id, at: change.at };
    // An undo writes nothing of its own: the line is from before what it took back.
    const restored = await findRestored(changes, undone, async (version) => goesOnIn(await history.text(version)));
    if (restored === undefined) return undefined;
    changes = changes.slice(changes.indexOf(restored) + 1);
  }
  return undefined;
}

async function findRestored(
  changes: readonly FileChange[],
  ids: readonly string[],
  hasLine: (version: string) => Promise<boolean>,
): Promise<FileChange | undefined> {
  for (const change of changes.filter(({ id }) => ids.includes(id)).reverse())
    if (change.before !== undefined && (await hasLine(change.before))) return change;
  return undefined;
}
