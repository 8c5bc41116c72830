import { ChatSources } from '../../src/extension/chat/chatSources.js';
import type { OpenConversations } from '../../src/extension/conversation/openConversations.js';

/** The sources of chat pages in a window that knows nothing but its conversations. @param drafts by conversation */
export function sourcesWithDrafts(conversations: OpenConversations, drafts = new Map<string, string>()): ChatSources {
  return new ChatSources(conversations, {
    closed: () => undefined,
    quietAfterMs: () => 60_000,
    doctorNote: () => undefined,
    lastKnown: () => undefined,
    readDraft: (id) => drafts.get(id) ?? '',
    writeDraft: ({ id }, text) => void drafts.set(id, text),
    filesNamed: () => Promise.resolve([]),
    workspaceImage: () => Promise.resolve(undefined),
  });
}
