/** What an editor knows of code, for an agent that asks. Off unless a front end hands it in. */
import { realPathWithin } from './files.js';
import type { CodeSymbol, TextPosition, TextRange } from '../session/codeTask.js';

export interface CodeLocation {
  /** Absolute. */
  readonly path: string;
  readonly range: TextRange;
}

/** Paths are absolute. May reject. */
export interface CodeNavigation {
  documentSymbols(path: string): Promise<readonly CodeSymbol[]>;
  definitions(path: string, position: TextPosition): Promise<readonly CodeLocation[]>;
  typeDefinitions(path: string, position: TextPosition): Promise<readonly CodeLocation[]>;
}

/** The same for one folder: undefined for a path that leads out of it, and no location that lies outside, symbolic links followed. */
export type ConfinedNavigation = {
  readonly [M in keyof CodeNavigation]: (
    ...args: Parameters<CodeNavigation[M]>
  ) => Promise<Awaited<ReturnType<CodeNavigation[M]>> | undefined>;
};

/** @param folder absolute */
export function confineNavigation(folder: string, navigation: CodeNavigation): ConfinedNavigation {
  const inside = async (locations: readonly CodeLocation[]): Promise<readonly CodeLocation[]> => {
    const real = await Promise.all(locations.map(({ path }) => realPathWithin(folder, path)));
    return locations.filter((_, index) => real[index] !== undefined);
  };
  const ask = async <T>(path: string, what: (real: string) => Promise<T>): Promise<T | undefined> => {
    const real = await realPathWithin(folder, path);
    return real === undefined ? undefined : what(real);
  };
  return {
    documentSymbols: (path) => ask(path, (real) => navigation.documentSymbols(real)),
    definitions: (path, position) => ask(path, async (real) => inside(await navigation.definitions(real, position))),
    typeDefinitions: (path, position) => ask(path, async (real) => inside(await navigation.typeDefinitions(real, position))),
  };
}
