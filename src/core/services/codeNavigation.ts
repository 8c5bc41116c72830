/** What an editor knows of code, for an agent that asks. Off unless a front end hands it in. */
import { realPathWithin } from './files.js';
import type { CodeSymbol, TextPosition, TextRange } from '../session/codeTask.js';

export interface CodeLocation {
  /** Absolute. */
  readonly path: string;
  readonly range: TextRange;
  /** Where the name stands in a range that is a whole definition. */
  readonly nameRange?: TextRange;
}

/** What an extension or a compiler has to say about a place in a file. */
export interface CodeDiagnostic extends CodeLocation {
  readonly severity: 'error' | 'warning' | 'information' | 'hint';
  readonly message: string;
  /** Who says it, e.g. `ts`. */
  readonly source?: string;
}

export interface OpenEditor {
  /** Absolute. */
  readonly path: string;
  readonly isActive: boolean;
  /** It shows what is not on disk. */
  readonly hasUnsavedChanges: boolean;
}

/** Paths are absolute. May reject. */
export interface CodeNavigation {
  documentSymbols(path: string): Promise<readonly CodeSymbol[]>;
  definitions(path: string, position: TextPosition): Promise<readonly CodeLocation[]>;
  typeDefinitions(path: string, position: TextPosition): Promise<readonly CodeLocation[]>;
  references(path: string, position: TextPosition): Promise<readonly CodeLocation[]>;
  /** Of all files. */
  diagnostics(): Promise<readonly CodeDiagnostic[]>;
  openEditors(): Promise<readonly OpenEditor[]>;
}

/** The same for one folder: undefined for a path that leads out of it, and nothing that lies outside, symbolic links followed. */
export type ConfinedNavigation = {
  readonly [M in keyof Omit<CodeNavigation, 'diagnostics'>]: (
    ...args: Parameters<CodeNavigation[M]>
  ) => Promise<Awaited<ReturnType<CodeNavigation[M]>> | undefined>;
} & {
  /** @param path absent: of all files */
  readonly diagnostics: (path?: string) => Promise<readonly CodeDiagnostic[] | undefined>;
};

/** @param folder absolute */
export function confineNavigation(folder: string, navigation: CodeNavigation): ConfinedNavigation {
  // What cannot be followed is nowhere.
  const realPathOf = (path: string): Promise<string | undefined> => realPathWithin(folder, path).catch(() => undefined);
  /** @param only a real path; absent: whatever is inside */
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
      // An editor may know the file by a path with a link in it.
      return ask(path, async (real) => inside(await navigation.diagnostics(), real));
    },
    openEditors: async () => inside(await navigation.openEditors()),
  };
}
