/** What was on disk when the user began to change files, over a reload of the window, which keeps unsaved text. */
import * as z from 'zod/mini';
import type * as vscode from 'vscode';

/** Where unsaved text began. */
export interface TextBase {
  /** Of the file on disk. */
  readonly hash: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

export interface UnsavedMemory {
  /** By the paths of the files, as the editor calls them. */
  read(): Readonly<Record<string, TextBase>>;
  write(bases: Readonly<Record<string, TextBase>>): void;
}

const key = 'unsavedTexts';
const schema = z.record(z.string(), z.object({ hash: z.string(), since: z.number() }));

/** @param state that of the workspace */
export function createUnsavedMemory(state: vscode.Memento): UnsavedMemory {
  return {
    read: () => schema.safeParse(state.get(key)).data ?? {},
    write: (bases) => void state.update(key, bases),
  };
}
