/** What is saved about an agent: what it offered when it last ran. An existing entry means that the agent was used here before. */
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { parseEvent } from '../journal/eventSchema.js';
import type { SessionState } from '../session/model.js';
import { JsonFolder, type JsonFolderOptions } from './jsonFolder.js';

const version = 1;
const schema = z.object({
  format: z.literal('acp-host-agent'),
  version: z.number(),
  agentId: z.string(),
  agentVersion: z.optional(z.string()),
  options: z.unknown(),
  commands: z.unknown(),
  listsSessions: z.optional(z.boolean()),
  label: z.optional(z.string()),
});

/** The options and commands that an agent last offered. */
export interface AgentFacts extends Pick<SessionState, 'options' | 'commands'> {
  readonly agentVersion?: string | undefined;
  /** It lists the sessions that it has saved. */
  readonly listsSessions?: boolean | undefined;
  /** Its name for users when it last ran. Known of those that list sessions. */
  readonly label?: string | undefined;
}

interface SavedFacts extends AgentFacts {
  readonly agentId: string;
}

/** The facts about every agent that was used before. */
export class AgentMemory {
  readonly #files: JsonFolder<SavedFacts>;
  /** As last read or saved. */
  readonly #known = new Map<string, AgentFacts | undefined>();

  constructor(options: Pick<JsonFolderOptions<SavedFacts>, 'directory' | 'log'>) {
    this.#files = new JsonFolder({
      ...options,
      parse,
      format: (facts) => JSON.stringify({ format: 'acp-host-agent', version, ...facts }),
    });
  }

  /** Resolves when `all` is known. */
  load(): Promise<void> {
    return this.#files.load();
  }

  /** By the ID of the agent. */
  get all(): readonly (readonly [string, AgentFacts])[] {
    return this.#files.values.map(({ agentId, ...facts }) => [agentId, facts] as const);
  }

  /** Keeps its identity until it changes. @returns undefined if the agent was not used yet */
  of(agentId: string): AgentFacts | undefined {
    if (!this.#known.has(agentId)) this.#known.set(agentId, this.#files.get(nameOf(agentId)));
    return this.#known.get(agentId);
  }

  remember(agentId: string, { options, commands, agentVersion, listsSessions, label }: AgentFacts): void {
    const facts = { agentId, agentVersion, options, commands, listsSessions, label };
    this.#known.set(agentId, facts);
    this.#files.update(nameOf(agentId), () => facts);
  }

  dispose(): void {
    this.#files.dispose();
  }
}

/** Hashed, because IDs come from settings. */
function nameOf(agentId: string): string {
  return createHash('sha256').update(agentId).digest('hex').slice(0, 32);
}

function parse(text: string): SavedFacts | undefined {
  try {
    const parsed = schema.safeParse(JSON.parse(text));
    if (!parsed.success || parsed.data.version > version) return undefined;
    const { agentId, agentVersion, options, commands, listsSessions, label } = parsed.data;
    const [told, offered] = [parseEvent({ type: 'options', at: 0, options }), parseEvent({ type: 'commands', at: 0, commands })];
    if (told?.type !== 'options' || offered?.type !== 'commands') return undefined;
    const list = listsSessions === true ? { listsSessions, label } : {};
    return { agentId, agentVersion, options: told.options, commands: offered.commands, ...list };
  } catch {
    return undefined; // incomplete
  }
}
