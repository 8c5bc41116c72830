/** What a window remembers across reloads: small facts in the editor's workspace storage. Parsed when read, like everything from disk. */
import * as z from 'zod/mini';
import type * as vscode from 'vscode';
import { type ContentBlock, type ConversationRecord, type HoldReason, type OutboxPrompt, parsePromptContent } from '../../core/index.js';

const placeSchema = z.object({
  agentId: z.string(),
  sessionId: z.string(),
  createdAt: z.optional(z.number()),
  continues: z.optional(z.string()),
  withContext: z._default(z.boolean(), false),
});
const promptSchema = z.object({
  id: z.string(),
  at: z.number(),
  content: z.custom<readonly ContentBlock[]>((value) => parsePromptContent(value) !== undefined),
  held: z.catch(z.optional(z.string()), undefined),
});
const promptsSchema = z.array(promptSchema);
const recordSchema = z.object({
  place: z.optional(placeSchema),
  outbox: z.catch(promptsSchema, []),
  returned: z.catch(promptsSchema, []),
});
const textSchema = z.string();

export interface WorkspaceState {
  recall(folderPath: string): ConversationRecord | undefined;
  remember(folderPath: string, record: ConversationRecord): void;
  readDraft(folderPath: string): string;
  writeDraft(folderPath: string, text: string): void;
  /** The agent that was chosen in this window. */
  chosenAgent(): string | undefined;
  chooseAgent(id: string): Promise<void>;
  /** The folder whose conversation was on screen. */
  shownFolder(): string | undefined;
  showFolder(folderPath: string): void;
}

export function createWorkspaceState(state: vscode.Memento): WorkspaceState {
  const read = <T>(key: string, schema: z.ZodMiniType<T>): T | undefined => {
    const parsed = schema.safeParse(state.get(key));
    return parsed.success ? parsed.data : undefined;
  };
  const write = (key: string, value: unknown): void => void state.update(key, value);
  /** Up to version 0.1 the place and the prompts were two things. */
  const readFormer = (folderPath: string): z.infer<typeof recordSchema> | undefined => {
    const place = read(`conversation:${folderPath}`, placeSchema);
    const outbox = read(`unsent:${folderPath}`, promptsSchema);
    return place === undefined && outbox === undefined ? undefined : { place, outbox: outbox ?? [], returned: [] };
  };
  return {
    recall(folderPath) {
      const record = readFormer(folderPath) ?? read(`conversation:${folderPath}`, recordSchema);
      if (record === undefined) return undefined;
      const { place, outbox, returned } = record;
      return {
        place: place && { ...place, continues: place.continues },
        outbox: outbox.map(promptOf),
        returned: returned.map(promptOf),
      };
    },
    remember(folderPath, record) {
      const { place, outbox, returned } = record;
      const isEmpty = place === undefined && outbox.length === 0 && returned.length === 0;
      write(`conversation:${folderPath}`, isEmpty ? undefined : record);
      if (state.get(`unsent:${folderPath}`) !== undefined) write(`unsent:${folderPath}`, undefined);
    },
    readDraft: (folderPath) => read(`draft:${folderPath}`, textSchema) ?? '',
    writeDraft: (folderPath, text) => write(`draft:${folderPath}`, text === '' ? undefined : text),
    chosenAgent: () => read('agent', textSchema),
    chooseAgent: async (id) => state.update('agent', id),
    shownFolder: () => read('folder', textSchema),
    showFolder: (folderPath) => write('folder', folderPath),
  };
}

/** The reasons, and the names that they had up to version 0.1. */
const holdReasons: ReadonlyMap<string | undefined, HoldReason> = new Map([
  ['turn_interrupted', 'turn_interrupted'],
  ['front_end_closed', 'front_end_closed'],
  ['context_lost', 'context_lost'],
  ['may_hang', 'may_hang'],
  ['turn_cut', 'turn_interrupted'],
  ['window_closed', 'front_end_closed'],
  ['freezes', 'may_hang'],
]);

function promptOf(prompt: z.infer<typeof promptSchema>): OutboxPrompt {
  return { ...prompt, held: holdReasons.get(prompt.held) };
}
