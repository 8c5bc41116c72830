/** Actions on a conversation in the list, whether it is open or not. */
import { type ConversationHit, type ConversationListEntry, HostError, lateWorkIn, runsTurn, sessionsOf } from '../../core/index.js';
import { transcriptAsMarkdown } from '../../text/transcriptText.js';
import { lateLossText } from '../../text/workText.js';
import { agentLabel } from '../chat/headerView.js';
import { findMadeSession, findViewId } from '../chat/transcript.js';
import { execute, isUntouched, type OpenConversation, openIfRunning } from '../conversation/openConversations.js';
import { nameIn, wholeNameIn } from '../list/listRow.js';
import { openMarkdown, showMessage } from '../window/windowMessages.js';
import { type ActionScope, naming, notHere } from './actionScope.js';
import { askText, pickConversation } from './pickers.js';

export type ListAction = keyof ReturnType<typeof createListActions>;

/** @param targetId returns the conversation to act on; undefined if there is none */
export function createListActions(
  { parts: { conversations, sources, pages, redactor, engine, report }, ask, confirm }: ActionScope,
  targetId: () => string | undefined,
) {
  const onListed = async (id: string | undefined, work: (entry: ConversationListEntry) => Promise<void>): Promise<void> => {
    if (id === undefined) return;
    const entry = conversations.listed(id);
    if (entry !== undefined) return naming(nameIn(entry), () => work(entry));
    throw notHere(conversations, id, 'This conversation');
  };
  const open = (id: string | undefined, inEditor = false): Promise<void> => {
    const show = async (opened: OpenConversation | undefined): Promise<void> => {
      if (opened === undefined) return;
      if (inEditor) await pages.openTab(opened);
      await pages.focus(opened, 'composer');
    };
    // One that is open here is not in the list until the engine is reached.
    const unlisted = id === undefined || conversations.listed(id) !== undefined ? undefined : conversations.get(id);
    return unlisted === undefined ? onListed(id, ({ id: listed }) => show(conversations.openListed(listed))) : show(unlisted);
  };

  const openAt = async (entry: ConversationListEntry, { sessionId, itemId }: ConversationHit): Promise<void> => {
    const opened = conversations.openListed(entry.id);
    if (opened === undefined || !(await conversations.whenRestored(opened))) return;
    const found = findViewId(opened.conversation.state, sessionId, itemId);
    await pages.focus(opened, 'composer', found === undefined ? undefined : { type: 'reveal', itemId: found });
  };

  const openAsMarkdown = async (entry: ConversationListEntry): Promise<void> => {
    const opened = conversations.openListed(entry.id);
    if (opened === undefined || !(await conversations.whenRestored(opened))) return;
    const { state } = opened.conversation;
    const [first, ...others] = sessionsOf(state);
    if (first === undefined) throw new HostError('usage', { detail: 'Nothing was said in this conversation yet' });
    const transcript = { name: nameIn(entry), agent: agentLabel(state), sessions: [first, ...others], dropped: 0 } as const;
    await openMarkdown(redactor.text(transcriptAsMarkdown(transcript)));
  };

  /** Opens the session of the notice instead of the conversation that contains the notice. */
  const openSession = async (itemId = ''): Promise<void> => {
    const entry = conversations.get(targetId());
    const session = entry && findMadeSession(entry.conversation.state, itemId);
    if (entry === undefined || session === undefined) return;
    const made = await conversations.openSession(entry.folder, session);
    await pages.openInPlaceOf(entry, made);
    await pages.focus(made, 'composer');
    await execute(made.conversation, { type: 'open' });
  };

  const rename = async (entry: ConversationListEntry): Promise<void> => {
    const title = await askText('Rename Conversation', 'Leave it empty to use the name that the agent gives it.', wholeNameIn(entry), {
      optional: true,
    });
    if (title !== undefined) await conversations.change({ type: 'rename', id: entry.id, title: title.trim() });
  };

  const remove = async (entry: ConversationListEntry): Promise<void> => {
    const name = nameIn(entry);
    const runs = runsTurn(entry);
    const state = conversations.get(entry.id)?.conversation.state;
    const late = state === undefined ? [] : lateWorkIn(state);
    const worksLate = state === undefined ? entry.worksLate === true : late.length > 0;
    if (worksLate && !(await confirm(`Delete "${name}"?`, lateLossText(late), 'Delete Anyway'))) return;
    const wasShown = conversations.shown?.id === entry.id;
    await conversations.delete(entry.id);
    const next = wasShown ? conversations.shown : undefined;
    if (next !== undefined) void report(() => openIfRunning(conversations, next));
    // Not awaited, because the message may stay open for any time.
    void report(async () => {
      const choice = await showMessage('information', `Deleted "${name}"${runs ? '. Its turn was stopped' : ''}`, 'Undo');
      if (choice !== undefined) await naming(name, () => restore(entry.id, next));
    });
  };

  /** @param next the conversation that the chat view showed instead */
  const restore = async (id: string, next: OpenConversation | undefined): Promise<void> => {
    await conversations.change({ type: 'restore', id });
    if (next === undefined || next !== conversations.shown || !isUntouched(next.conversation.state) || !sources.of(next).isEmpty) return;
    const restored = conversations.openListed(id);
    if (restored !== undefined) conversations.show(restored);
  };

  const change = (command: { type: 'pin'; isPinned: boolean } | { type: 'archive'; isArchived: boolean }): Promise<void> =>
    onListed(targetId(), ({ id }) => conversations.change({ ...command, id }));

  const showHistory = async (): Promise<void> => {
    const current = conversations.current?.id;
    const onListChange = conversations.onListChange.bind(conversations);
    let canSearch = true;
    const search = async (text: string, ids: readonly string[]): Promise<readonly ConversationHit[]> => {
      let hits: readonly ConversationHit[] = [];
      if (canSearch)
        await report(async () => {
          try {
            hits = await engine.call('search', { text, ids });
          } catch (error) {
            // For example of an older engine: told once, not with each key.
            const isTold = !canSearch;
            canSearch = false;
            if (!isTold) throw error;
          }
        });
      return hits;
    };
    const choice = await ask(() => pickConversation({ entries: () => conversations.list, currentId: current, onListChange, search }));
    const hit = choice?.hit;
    if (choice?.does === 'open') await (hit === undefined ? open(choice.id) : onListed(choice.id, (entry) => openAt(entry, hit)));
    if (choice?.does === 'rename') await onListed(choice.id, rename);
    if (choice?.does === 'delete') await onListed(choice.id, remove);
  };

  return {
    showHistory,
    /** The list's own search knows only the part of a name that its rows have space for. */
    findConversation: showHistory,
    openConversation: (itemId?: string) => open(itemId ?? targetId()),
    openConversationInEditor: () => open(targetId(), true),
    openConversationAsMarkdown: () => onListed(targetId(), openAsMarkdown),
    openSession,
    renameConversation: () => onListed(targetId(), rename),
    pinConversation: () => change({ type: 'pin', isPinned: true }),
    unpinConversation: () => change({ type: 'pin', isPinned: false }),
    archiveConversation: () => change({ type: 'archive', isArchived: true }),
    unarchiveConversation: () => change({ type: 'archive', isArchived: false }),
    deleteConversation: () => onListed(targetId(), remove),
  };
}
