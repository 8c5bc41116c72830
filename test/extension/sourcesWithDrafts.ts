import type { TestContext } from 'node:test';
import type { ChatSourceOptions } from '../../src/extension/chat/chatSource.js';
import { ChatSources } from '../../src/extension/chat/chatSources.js';
import type { OpenConversations } from '../../src/extension/conversation/openConversations.js';
import type { ChipFacts } from '../../src/extension/editor/selection.js';
import { openStoreLab } from '../core/store/storeLab.js';

/** What the window saves for its composers. */
export async function openSaved(t: TestContext): Promise<ChatSourceOptions['saved']> {
  return (await openStoreLab(t)).open();
}

/** The sources of chat pages in a window that only knows its conversations, and which file is open. */
export function sourcesWithDrafts(
  t: TestContext,
  conversations: OpenConversations,
  saved: ChatSourceOptions['saved'],
  openFile: () => ChipFacts | undefined = () => undefined,
): ChatSources {
  const sources = new ChatSources(conversations, {
    nameOf: () => 'a conversation',
    recent: () => [],
    closed: () => undefined,
    quietAfterMs: () => 60_000,
    doctorNote: () => undefined,
    lastKnown: () => undefined,
    saved,
    openFile: { facts: openFile, chip: () => undefined },
    leavesOutOpenFile: () => false,
    filesNamed: () => Promise.resolve([]),
    suggestFiles: () => Promise.resolve([]),
    workspaceImage: () => Promise.resolve(undefined),
  });
  // A source of a working agent sets a timer, which would keep the process alive for a minute.
  t.after(() => sources.dispose());
  return sources;
}
