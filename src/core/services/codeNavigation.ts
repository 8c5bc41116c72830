/** What an editor knows about code, for an agent that queries it. Off unless a front end provides it. */
import { realPathWithin } from './files.js';
import type { CodeSymbol, TextPosition, TextRange } from '../session/codeTask.js';

/** A place in a file. */
export interface CodeLocation {
  /** Absolute. */
  readonly path: string;
  readonly range: TextRange;
  /** The range of the name within the range of a whole definition. */
  readonly nameRange?: TextRange;
}

/** What an extension or a compiler reports about a place in a file. */
export interface CodeDiagnostic extends CodeLocation {
  readonly severity: 'error' | 'warning' | 'information' | 'hint';
  readonly message: string;
  /** The source of the diagnostic, e.g. `ts`. */
  readonly source?: string;
}

/** An editor that is open. */
export interface OpenEditor {
  /** Absolute. */
  readonly path: string;
  readonly isActive: boolean;
  /** The editor shows content that is not on disk. */
  readonly hasUnsavedChanges: boolean;
}

/** Paths are absolute. Calls may reject. */
export interface CodeNavigation {
  documentSymbols(path: string): Promise<readonly CodeSymbol[]>;
  definitions(path: string, position: TextPosition): Promise<readonly CodeLocation[]>;
  typeDefinitions(path: string, position: TextPosition): Promise<readonly CodeLocation[]>;
  references(path: string, position: TextPosition): Promise<readonly CodeLocation[]>;
  /** Returns the diagnostics of all files. */
  diagnostics(): Promise<readonly CodeDiagnostic[]>;
  openEditors(): Promise<readonly OpenEditor[]>;
}

/** The same, confined to one folder: undefined for a path that leads out of it, and nothing from outside. Symbolic links are followed. */
export type ConfinedNavigation = {
  readonly [M in keyof Omit<CodeNavigation, 'diagnostics'>]: (
    ...args: Parameters<CodeNavigation[M]>
  ) => Promise<Awaited<ReturnType<CodeNavigation[M]>> | undefined>;
} & {
  /** @param path absent: all files */
  readonly diagnostics: (path?: string) => Promise<readonly CodeDiagnostic[] | undefined>;
};

/** @param folder absolute */
export function confineNavigation(folder: string, navigation: CodeNavigation): ConfinedNavigation {
  // A path that can't be followed is nowhere.
  const realPathOf = (path: string): Promise<string | undefined> => realPathWithin(folder, path).catch(() => undefined);
  /** @param only a real path; absent: everything inside */
  const inside = async <T extends { readonly path: string }>(found: readonly T[], only?: string): Promise<readonly T[]> => {
    const paths = [...new Set(found.map(({ path }) => path))];
    const real = new Map(await Promise.all(paths.map(async (path) => [path, await realPathOf(path)] as const)));
    return found.filter(({ path }) => (only === undefined ? real.get(path) !== undefined : real.get(path) === only));
  };
  const ask = async <T>(path: string, what: (real: string) => Promise<T>): Promise<T | undefined> => {
    const real = await realPathWithin(folder, path);
    return real === undefined ? undefined : what(real);
  };
  return {
    documentSymbols: (path) => ask(path, (real) => navigation.documentSymbols(real)),
    definitions: (path, position) => ask(path, async (real) => inside(await navigation.definitions(real, position))),
    typeDefinitions: (path, position) => ask(path, async (real) => inside(await navigation.typeDefinitions(real, position))),
    references: (path, position) => ask(path, async (real) => inside(await navigation.references(real, position))),
    async diagnostics(path) {
      if (path === undefined) return inside(await navigation.diagnostics());
      // An editor may know the file by a path that contains a link.
      return ask(path, async (real) => inside(await navigation.diagnostics(), real));
    },
    openEditors: async () => inside(await navigation.openEditors()),
  };
}
