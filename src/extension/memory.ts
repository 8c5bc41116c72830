/** What a window remembers of itself between two lives: small facts in the editor's workspace storage. Parsed when read, like all that comes from a disk. */
import * as z from 'zod/mini';
import type * as vscode from 'vscode';
import type { ConversationRecord } from './conversation/ports.js';

const keySchema = z.object({ agentId: z.string(), sessionId: z.string() });
const recordSchema = z.object({ ...keySchema.shape, above: z.array(keySchema) });
const textSchema = z.string();

export interface WindowMemory {
  recall(folderPath: string): ConversationRecord | undefined;
  remember(folderPath: string, record: ConversationRecord | undefined): void;
  readDraft(folderPath: string): string;
  writeDraft(folderPath: string, text: string): void;
  /** The agent that was chosen in this window. */
  chosenAgent(): string | undefined;
  chooseAgent(id: string): Promise<void>;
  /** The folder whose conversation was on screen. */
  shownFolder(): string | undefined;
  showFolder(folderPath: string): void;
}

export function createWindowMemory(state: vscode.Memento): WindowMemory {
  const read = <T>(key: string, schema: z.ZodMiniType<T>): T | undefined => {
    const parsed = schema.safeParse(state.get(key));
    return parsed.success ? parsed.data : undefined;
  };
  const write = (key: string, value: unknown): void => void state.update(key, value);
  return {
    recall: (folderPath) => read(`conversation:${folderPath}`, recordSchema),
    remember: (folderPath, record) => write(`conversation:${folderPath}`, record),
    readDraft: (folderPath) => read(`draft:${folderPath}`, textSchema) ?? '',
    writeDraft: (folderPath, text) => write(`draft:${folderPath}`, text === '' ? undefined : text),
    chosenAgent: () => read('agent', textSchema),
    chooseAgent: async (id) => state.update('agent', id),
    shownFolder: () => read('folder', textSchema),
    showFolder: (folderPath) => write('folder', folderPath),
  };
}
