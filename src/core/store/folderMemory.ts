/** What is saved about a folder: the conversation on screen, and the agent that the user chose. */
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { realFolderPath } from '../node/smallFiles.js';
import { JsonFolder, type JsonFolderOptions } from './jsonFolder.js';

const version = 1;
const schema = z.object({
  format: z.literal('acp-host-folder'),
  version: z.number(),
  folder: z.string(),
  shown: z.optional(z.string()),
  shownAt: z.catch(z.number(), 0),
  agentId: z.optional(z.string()),
  mayActUnasked: z.catch(z.boolean(), false),
});

/** What is saved about one folder. */
export interface FolderFacts {
  /** The ID of the conversation that was last on screen in an editor; it need not be saved. */
  readonly shown: string | undefined;
  /** Milliseconds since the epoch. */
  readonly shownAt: number;
  /** The ID of the agent that was chosen there. */
  readonly agentId: string | undefined;
  /** The user agreed that agents may work there in a mode in which they never ask. */
  readonly mayActUnasked: boolean;
}

interface SavedFacts extends FolderFacts {
  /** Absolute, without symbolic links. */
  readonly folder: string;
}

const nothing: FolderFacts = { shown: undefined, shownAt: 0, agentId: undefined, mayActUnasked: false };

/** Accepts any path that leads to a folder. */
export class FolderMemory {
  readonly #files: JsonFolder<SavedFacts>;

  constructor(options: Pick<JsonFolderOptions<SavedFacts>, 'directory' | 'log'>) {
    this.#files = new JsonFolder({
      ...options,
      parse,
      format: (facts) => JSON.stringify({ format: 'acp-host-folder', version, ...facts }),
    });
  }

  /** Resolves when `all` is known. */
  load(): Promise<void> {
    return this.#files.load();
  }

  /** By the path of the folder, without symbolic links. */
  get all(): readonly (readonly [string, FolderFacts])[] {
    return this.#files.values.map(({ folder, ...facts }) => [folder, facts] as const);
  }

  at(path: string): FolderFacts {
    return this.#files.get(nameOf(realFolderPath(path))) ?? nothing;
  }

  remember(path: string, facts: Partial<FolderFacts>): void {
    const folder = realFolderPath(path);
    this.#files.update(nameOf(folder), (before) => ({ ...(before ?? { folder, ...nothing }), ...facts }));
  }

  dispose(): void {
    this.#files.dispose();
  }
}

function nameOf(folder: string): string {
  return createHash('sha256').update(folder).digest('hex').slice(0, 32);
}

function parse(text: string): SavedFacts | undefined {
  try {
    const parsed = schema.safeParse(JSON.parse(text));
    if (!parsed.success || parsed.data.version > version) return undefined;
    const { folder, shown, shownAt, agentId, mayActUnasked } = parsed.data;
    return { folder, shown, shownAt, agentId, mayActUnasked };
  } catch {
    return undefined; // incomplete
  }
}
