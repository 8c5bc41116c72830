/** What is remembered about the folders of this window, wherever they are opened again. */
import type { FolderMemory } from '../../core/index.js';
import { type Folder, openFolders } from './folders.js';

export interface WindowMemory {
  /** The conversation that was visible in the folder. */
  shownIn(folderPath: string): string | undefined;
  show(folderPath: string, id: string): void;
  /** The open folder whose conversation was last visible; undefined while no folder is open. */
  lastShown(): Folder | undefined;
  /** The agent that was chosen in these folders. */
  chosenAgent(): string | undefined;
  chooseAgent(id: string): Promise<void>;
  /** Whether the user agreed that agents may work in the folder without asking. */
  mayActUnasked(folderPath: string): boolean;
  allowUnasked(folderPath: string): void;
}

export function createWindowMemory(folders: FolderMemory): WindowMemory {
  const newestFirst = (): readonly Folder[] => [...openFolders()].sort((a, b) => folders.at(b.path).shownAt - folders.at(a.path).shownAt);
  return {
    shownIn: (folderPath) => folders.at(folderPath).shown,
    show: (folderPath, id) => folders.remember(folderPath, { shown: id, shownAt: Date.now() }),
    lastShown: () => newestFirst()[0],
    chosenAgent: () =>
      newestFirst()
        .map(({ path }) => folders.at(path).agentId)
        .find((id) => id !== undefined),
    mayActUnasked: (folderPath) => folders.at(folderPath).mayActUnasked,
    allowUnasked: (folderPath) => folders.remember(folderPath, { mayActUnasked: true }),
    chooseAgent(id) {
      for (const { path } of openFolders()) folders.remember(path, { agentId: id });
      return Promise.resolve();
    },
  };
}
