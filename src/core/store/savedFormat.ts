/**
 * The files of a conversation besides its journal: what a list shows of it, its draft with the chips beside it, and its unsent prompts.
 * Parsed when read, like everything from disk.
 */
import * as z from 'zod/mini';
import { findKnownAgent } from '../agents/knownAgents.js';
import type { Chip } from '../conversation/draft.js';
import type { ConversationSummary, SavedConversation } from '../conversation/library.js';
import type { ConversationPlace, ConversationRecord } from '../conversation/ports.js';
import type { OutboxPrompt } from '../conversation/state.js';
import type { JournalSummary } from '../journal/journalRead.js';
import { parsePromptContent } from '../journal/parsePromptContent.js';
import { realFolderPath } from '../node/smallFiles.js';
import type { ContentBlock } from '../session/model.js';

/** Schemas of parts that several saved files have. */
const placeSchema = z.object({
  agentId: z.string(),
  sessionId: z.string(),
  over: z.optional(z.number()),
  withContext: z._default(z.boolean(), false),
  fork: z.catch(z.optional(z.object({ sessionId: z.string(), messageId: z.optional(z.string()) })), undefined),
});
const promptSchema = z.object({
  id: z.string(),
  at: z.number(),
  content: z.custom<readonly ContentBlock[]>((value) => parsePromptContent(value) !== undefined),
  held: z.catch(z.optional(z.enum(['turn_interrupted', 'engine_ended', 'context_lost'])), undefined),
});
const promptsSchema = z.array(promptSchema);

function toPrompt({ id, at, content, held }: z.infer<typeof promptSchema>): OutboxPrompt {
  return { id, at, content, held };
}

/** The version of each kind of file. A file from a newer version is not changed. */
const version = 1;
/** A list row has no room for more. */
const firstWordsChars = 200;
/** No other version of a conversation is read. */
const conversationVersion = 2;

const summarySchema = z.object({
  agent: z.object({ id: z.string(), label: z.string() }),
  agentTitle: z.optional(z.string()),
  firstWords: z.optional(z.string()),
  usedAt: z.number(),
  turn: z.catch(z.enum(['idle', 'running', 'interrupted']), 'idle'),
  earlier: z.catch(z.array(z.string()), []),
});
const conversationSchema = z.object({
  format: z.literal('acp-host-conversation'),
  version: z.number(),
  id: z.string(),
  cwd: z.string(),
  folder: z.string(),
  summary: z.optional(summarySchema),
  unsentWords: z.catch(z.optional(z.string()), undefined),
  place: z.optional(placeSchema),
  title: z.optional(z.string()),
  createdAt: z.number(),
  isPinned: z.catch(z.boolean(), false),
  isArchived: z.catch(z.boolean(), false),
  isUnread: z.catch(z.boolean(), false),
  leavesOutOpenFile: z.catch(z.boolean(), false),
  isDeleted: z.catch(z.boolean(), false),
});

/** A conversation as it is on disk. */
export interface ConversationFacts extends SavedConversation {
  /** It is in no list any more, and is removed from disk when the engine ends. */
  readonly isDeleted: boolean;
}

export function blankConversation(id: string, cwd: string): ConversationFacts {
  return {
    id,
    cwd,
    folder: realFolderPath(cwd),
    summary: undefined,
    unsentWords: undefined,
    place: undefined,
    title: undefined,
    createdAt: Date.now(),
    isPinned: false,
    isArchived: false,
    isUnread: false,
    leavesOutOpenFile: false,
    isDeleted: false,
  };
}

/** A conversation of which only the journal is left, for example of an engine that was killed before it could list it. */
export function factsFrom(id: string, { sessions, firstPrompt, updatedAt, lastTurn }: JournalSummary): ConversationFacts {
  const [first] = sessions;
  const { agentId, sessionId, cwd } = sessions.at(-1) ?? first;
  return {
    ...blankConversation(id, cwd),
    folder: realFolderPath(cwd),
    createdAt: first.createdAt,
    place: { agentId, sessionId, over: undefined, withContext: false },
    summary: {
      agent: { id: agentId, label: findKnownAgent(agentId)?.label ?? agentId },
      agentTitle: undefined,
      firstWords: firstPrompt?.slice(0, firstWordsChars),
      usedAt: updatedAt,
      turn: lastTurn === 'interrupted' ? 'interrupted' : 'idle',
      earlier: sessions.slice(0, -1).map((one) => one.sessionId),
    },
  };
}

/** Whether it has nothing that a user could miss. */
export function isBlank({
  summary,
  unsentWords,
  place,
  title,
  isPinned,
  isArchived,
  leavesOutOpenFile,
  isDeleted,
}: ConversationFacts): boolean {
  const isEmpty = summary === undefined && unsentWords === undefined && place === undefined;
  return isEmpty && title === undefined && !isPinned && !isArchived && !leavesOutOpenFile && !isDeleted;
}

/** @returns undefined for an incomplete or foreign file, or one from a newer version */
export function parseConversation(text: string): ConversationFacts | undefined {
  const parsed = conversationSchema.safeParse(parseJson(text));
  if (!parsed.success || parsed.data.version !== conversationVersion) return undefined;
  const { id, cwd, folder, summary, unsentWords, place, title, createdAt, isPinned, isArchived, isUnread, leavesOutOpenFile, isDeleted } =
    parsed.data;
  // Copies member by member, because a rest pattern makes each of possibly thousands of objects slow to create and to read.
  return {
    id,
    cwd,
    folder,
    summary: summary && toSummary(summary),
    unsentWords,
    place: place && toPlace(place),
    title,
    createdAt,
    isPinned,
    isArchived,
    isUnread,
    leavesOutOpenFile,
    isDeleted,
  };
}

function toSummary({ agent, agentTitle, firstWords, usedAt, turn, earlier }: z.infer<typeof summarySchema>): ConversationSummary {
  return { agent, agentTitle, firstWords, usedAt, turn, earlier };
}

function toPlace({ agentId, sessionId, over, withContext, fork }: z.infer<typeof placeSchema>): ConversationPlace {
  return { agentId, sessionId, over, withContext, ...(fork && { fork }) };
}

export function formatConversation(facts: ConversationFacts): string {
  return JSON.stringify({ format: 'acp-host-conversation', version: conversationVersion, ...facts });
}

const unsentSchema = z.object({
  format: z.literal('acp-host-unsent'),
  version: z.number(),
  outbox: z.catch(promptsSchema, []),
  returned: z.catch(promptsSchema, []),
});

const draftSchema = z.object({ format: z.literal('acp-host-draft'), version: z.number(), draft: z.string() });

export type UnsentPrompts = Pick<ConversationRecord, 'outbox' | 'returned'>;

export function parsePrompts(text: string): UnsentPrompts | undefined {
  const parsed = unsentSchema.safeParse(parseJson(text));
  if (!parsed.success || parsed.data.version > version) return undefined;
  const { outbox, returned } = parsed.data;
  return { outbox: outbox.map(toPrompt), returned: returned.map(toPrompt) };
}

export function formatPrompts(prompts: UnsentPrompts): string {
  return JSON.stringify({ format: 'acp-host-unsent', version, ...prompts });
}

export function parseDraft(text: string): string | undefined {
  const parsed = draftSchema.safeParse(parseJson(text));
  return parsed.success && parsed.data.version <= version ? parsed.data.draft : undefined;
}

export function formatDraft(draft: string): string {
  return JSON.stringify({ format: 'acp-host-draft', version, draft });
}

const chipSchema = z.object({
  id: z.string(),
  label: z.string(),
  title: z.string(),
  content: z.custom<ContentBlock>((value) => parsePromptContent([value]) !== undefined),
  comment: z.exactOptional(z.object({ path: z.string(), firstLine: z.number(), lastLine: z.number(), text: z.string() })),
});
const chipsSchema = z.object({ format: z.literal('acp-host-chips'), version: z.number(), chips: z.array(chipSchema) });

export function parseChips(text: string): readonly Chip[] | undefined {
  const parsed = chipsSchema.safeParse(parseJson(text));
  return parsed.success && parsed.data.version <= version ? parsed.data.chips : undefined;
}

export function formatChips(chips: readonly Chip[]): string {
  return JSON.stringify({ format: 'acp-host-chips', version, chips });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Incomplete: affects this file only.
  }
}
