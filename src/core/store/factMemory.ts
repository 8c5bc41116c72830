/** What is saved about folders and agents, each in a small file of its own. */
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { parseEvent } from '../journal/eventSchema.js';
import type { SessionState } from '../session/model.js';
import { jsonFormat, JsonFolder, type JsonFolderOptions } from './jsonFolder.js';

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

export const noFolderFacts: FolderFacts = { shown: undefined, shownAt: 0, agentId: undefined, mayActUnasked: false };

/** What an agent offered when it last ran. If there are facts, the agent was used here before. */
export interface AgentFacts extends Pick<SessionState, 'options' | 'commands'> {
  readonly agentVersion?: string | undefined;
  /** It lists the sessions that it has saved. */
  readonly listsSessions?: boolean | undefined;
  /** Its name for users when it last ran. Known of those that list sessions. */
  readonly label?: string | undefined;
}

/** About a folder, by its path without symbolic links, or about an agent, by its ID. */
export interface Saved<T> {
  readonly key: string;
  readonly facts: T;
}

type Files<T> = Pick<JsonFolderOptions<Saved<T>>, 'directory' | 'log'>;

/** Returns the name of the file. Hashed, because paths are long, and IDs come from settings. */
export function factName(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 32);
}

const folderSchema = z.object({
  folder: z.string(),
  shown: z.optional(z.string()),
  shownAt: z.catch(z.number(), 0),
  agentId: z.optional(z.string()),
  mayActUnasked: z.catch(z.boolean(), false),
});

export function createFolderMemory(files: Files<FolderFacts>): JsonFolder<Saved<FolderFacts>> {
  const format = jsonFormat('acp-host-folder', 1, folderSchema);
  return new JsonFolder({
    ...files,
    parse(text) {
      const { folder: key, ...facts } = format.parse(text) ?? {};
      return key === undefined ? undefined : { key, facts: { ...noFolderFacts, ...facts } };
    },
    format: ({ key, facts }) => format.format({ folder: key, ...facts }),
  });
}

const agentSchema = z.object({
  agentId: z.string(),
  agentVersion: z.optional(z.string()),
  options: z.unknown(),
  commands: z.unknown(),
  listsSessions: z.optional(z.boolean()),
  label: z.optional(z.string()),
});

export function createAgentMemory(files: Files<AgentFacts>): JsonFolder<Saved<AgentFacts>> {
  const format = jsonFormat('acp-host-agent', 1, agentSchema);
  return new JsonFolder({
    ...files,
    parse(text) {
      const { agentId: key, options, commands, ...others } = format.parse(text) ?? {};
      const [told, offered] = [parseEvent({ type: 'options', at: 0, options }), parseEvent({ type: 'commands', at: 0, commands })];
      if (key === undefined || told?.type !== 'options' || offered?.type !== 'commands') return undefined;
      return { key, facts: { ...others, options: told.options, commands: offered.commands } };
    },
    format: ({ key, facts }) => format.format({ agentId: key, ...facts }),
  });
}
