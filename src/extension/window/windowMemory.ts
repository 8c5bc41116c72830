/** What is remembered about the folders of this window, wherever they are opened again. */
import * as z from 'zod/mini';
import type * as vscode from 'vscode';
import { type Folder, openFolders } from './workspace.js';
import { type EngineClient, type FolderFacts, type Logger, realFolderPath } from '../../core/index.js';

/** Where unsaved text began. */
export interface TextBase {
  /** Of the file on disk. */
  readonly hash: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

export type UnsavedMemory = ReturnType<typeof createUnsavedMemory>;

const key = 'unsavedTexts';
const schema = z.record(z.string(), z.object({ hash: z.string(), since: z.number() }));

/**
 * What was on disk when the user began to change files, by their paths as the editor calls them, over a reload of the window, which keeps
 * unsaved text.
 * @param state that of the workspace
 */
export function createUnsavedMemory(state: vscode.Memento) {
  return {
    read: (): Readonly<Record<string, TextBase>> => schema.safeParse(state.get(key)).data ?? {},
    write: (bases: Readonly<Record<string, TextBase>>): void => void state.update(key, bases),
  };
}

export type WindowMemory = ReturnType<typeof createWindowMemory>;

export function createWindowMemory(engine: Pick<EngineClient, 'facts' | 'call'>, log: Logger) {
  /** What this window wrote, by the real path of the folder, until the engine has it. */
  const written = new Map<string, Partial<FolderFacts>>();
  const at = (path: string): Partial<FolderFacts> => {
    const folder = realFolderPath(path);
    return { ...engine.facts.state.folders[folder], ...written.get(folder) };
  };
  const remember = async (path: string, facts: Partial<FolderFacts>): Promise<void> => {
    const folder = realFolderPath(path);
    const all = { ...written.get(folder), ...facts };
    written.set(folder, all);
    try {
      await engine.call('remember_folder', { path, facts });
      if (written.get(folder) === all) written.delete(folder);
    } catch (error) {
      log.warn('Could not remember facts about a folder', error);
    }
  };
  const shownAt = ({ path }: Folder): number => at(path).shownAt ?? 0;
  const newestFirst = (): readonly Folder[] => [...openFolders()].sort((a, b) => shownAt(b) - shownAt(a));
  return {
    /** The conversation that was visible in the folder. */
    shownIn: (folderPath: string): string | undefined => at(folderPath).shown,
    show: (folderPath: string, id: string): void => void remember(folderPath, { shown: id, shownAt: Date.now() }),
    /** The open folder whose conversation was last visible; undefined while no folder is open. */
    lastShown: (): Folder | undefined => newestFirst()[0],
    /** The agent that was chosen in these folders. */
    chosenAgent: (): string | undefined =>
      newestFirst()
        .map(({ path }) => at(path).agentId)
        .find((id) => id !== undefined),
    async chooseAgent(id: string): Promise<void> {
      await Promise.all(openFolders().map(({ path }) => remember(path, { agentId: id })));
    },
    /** Whether the user agreed that agents may work in the folder without asking. */
    mayActUnasked: (folderPath: string): boolean => at(folderPath).mayActUnasked === true,
    allowUnasked: (folderPath: string): void => void remember(folderPath, { mayActUnasked: true }),
  };
}
