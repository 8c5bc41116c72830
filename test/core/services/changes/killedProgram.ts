/** A program that records turns and undoes them until it is killed. Its argument is JSON; it tells its parent how far it is. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { ConversationChanges } from '../../../../src/core/services/changes/conversationChanges.js';
import { FolderChanges } from '../../../../src/core/services/changes/folderChanges.js';

export interface KilledProgram {
  readonly stateFolder: string;
  readonly folder: string;
  /** Undoes what the conversations recorded, or begins a turn in each. */
  readonly act: 'undo' | 'turn';
  readonly conversations: readonly string[];
  /** Of a turn: writes these files, each with its name, and looks after the first. */
  readonly writes?: readonly string[];
}

const { stateFolder, folder, act, conversations, writes = [] } = JSON.parse(process.argv[2] ?? '') as KilledProgram;
const recorded = new FolderChanges(stateFolder, folder);
const tell = (message: string): void => void process.send?.(message);
const editor = { unsaved: () => Promise.resolve({}), edit: () => Promise.resolve([]) };
const all = conversations.map((id) => new ConversationChanges({ id, cwd: folder, folder: recorded, editor, waitMs: 60_000 }));
for (const changes of all) {
  await changes.load();
  if (act === 'undo') {
    tell('begins');
    await changes.undo({ ids: changes.sets.filter(({ kind }) => kind === 'turn').map(({ id }) => id) });
  } else await changes.begin(`turn-of-${conversations[all.indexOf(changes)]}`);
}
for (const [index, name] of writes.entries()) {
  writeFileSync(path.join(folder, name), name);
  if (index > 0) continue;
  const [first] = all;
  const isSeen = new Promise<void>((resolve) => first?.onChange(resolve));
  first?.look(`turn-of-${conversations[0]}`, () => new Set([path.join(folder, name)]));
  await isSeen;
}
tell('done');
// It waits to be killed.
setInterval(() => {}, 1_000);
