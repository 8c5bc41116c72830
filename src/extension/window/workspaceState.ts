/** What a window remembers across reloads: small facts in the editor's workspace storage. Parsed when read, like everything from disk. */
import * as z from 'zod/mini';
import type * as vscode from 'vscode';
import { type ContentBlock, parsePromptContent } from '../../core/index.js';
import type { UnsentPrompt } from '../conversation/outbox.js';
import type { ConversationRecord } from '../conversation/ports.js';

const recordSchema = z.object({
  agentId: z.string(),
  sessionId: z.string(),
  createdAt: z.optional(z.number()),
  continues: z.optional(z.string()),
  withContext: z._default(z.boolean(), false),
});
const unsentSchema = z.object({
  id: z.string(),
  at: z.number(),
  content: z.custom<readonly ContentBlock[]>((value) => parsePromptContent(value) !== undefined),
  held: z.catch(z.optional(z.enum(['turn_cut', 'window_closed', 'context_lost', 'freezes'])), undefined),
});
const textSchema = z.string();

export interface WorkspaceState {
  recall(folderPath: string): ConversationRecord | undefined;
  remember(folderPath: string, record: ConversationRecord | undefined): void;
  recallUnsent(folderPath: string): readonly UnsentPrompt[];
  rememberUnsent(folderPath: string, prompts: readonly UnsentPrompt[]): void;
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
  return {
    recall(folderPath) {
      const record = read(`conversation:${folderPath}`, recordSchema);
      return record === undefined ? undefined : { ...record, continues: record.continues };
    },
    remember: (folderPath, record) => write(`conversation:${folderPath}`, record),
    recallUnsent: (folderPath) =>
      (read(`unsent:${folderPath}`, z.array(unsentSchema)) ?? []).map((prompt) => ({ ...prompt, held: prompt.held })),
    rememberUnsent: (folderPath, prompts) => write(`unsent:${folderPath}`, prompts.length === 0 ? undefined : prompts),
    readDraft: (folderPath) => read(`draft:${folderPath}`, textSchema) ?? '',
    writeDraft: (folderPath, text) => write(`draft:${folderPath}`, text === '' ? undefined : text),
    chosenAgent: () => read('agent', textSchema),
    chooseAgent: async (id) => state.update('agent', id),
    shownFolder: () => read('folder', textSchema),
    showFolder: (folderPath) => write('folder', folderPath),
  };
}
