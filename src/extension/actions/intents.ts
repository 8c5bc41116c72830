/** What a page may ask for, and what happens then. The table is closed: a message without an entry does not compile. */
import { isDeepStrictEqual } from 'node:util';
import type { Actions } from './actions.js';
import { applyCode, compareCode, insertCode } from '../editor/answeredCode.js';
import type { ChatPages } from '../chat/chatPages.js';
import type { ChatSources } from '../chat/chatSource.js';
import type { Documents } from '../editor/documents.js';
import type { EditorInUse } from '../editor/editorInUse.js';
import type { EditPreview } from '../editor/editPreview.js';
import type { Report } from './errorReport.js';
import { HostError, type Logger, selectOption, type UserAnswer } from '../../core/index.js';
import { openLink, openLocation, openWebLink } from '../editor/open.js';
import { execute, type OpenConversation, type OpenConversations } from '../conversation/openConversations.js';
import { saveFiles } from '../editor/openTexts.js';
import type { OutputTerminals } from '../editor/outputTerminals.js';
import type { PageIntent } from '../pages/pageLink.js';
import type { PendingPrompts } from '../chat/pendingPrompts.js';
import { compareWithSaved } from '../editor/requestFiles.js';
import { shorten } from '../../text/plainText.js';
import { toolItemView } from '../chat/toolView.js';
import { commandOutput, diffsOfPrompt, findDiff, findItem, rawDocument, rawInputOfRequest } from '../chat/transcript.js';

type IntentOf<T extends PageIntent['type']> = Extract<PageIntent, { readonly type: T }>;
type IntentTable = { readonly [T in PageIntent['type']]: (intent: IntentOf<T>) => void | Promise<void> };

export interface IntentParts {
  readonly sources: ChatSources;
  readonly conversations: OpenConversations;
  readonly pending: PendingPrompts;
  readonly pages: Pick<ChatPages, 'tellDraft'>;
  /**
   * Returns the actions on one conversation.
   * @param entry undefined if no folder is open
   */
  actionsOn(entry: OpenConversation | undefined): Actions;
  readonly documents: Documents;
  readonly outputTerminals: Pick<OutputTerminals, 'show'>;
  readonly preview: Pick<EditPreview, 'show'>;
  readonly editorInUse: Pick<EditorInUse, 'find'>;
  readonly report: Report;
  readonly log: Logger;
}

/** Of a terminal, whose tab has no room for more. */
const nameChars = 40;

/** @returns a function that runs an intent, and shows what fails */
export function intentRunner(parts: IntentParts): (intent: PageIntent) => Promise<void> {
  const openPageOnce = onceAtATime();
  return async (intent) => {
    const entry = entryOf(intent, parts);
    if (intent.conversation !== undefined && entry === undefined)
      parts.log.info('Ignored a message from a page about a deleted conversation');
    else await parts.report(entry, () => run(tableFor(entry, { ...parts, openPageOnce }), intent.type, intent));
  };
}

/** The panel for requests names no conversation, so its intents apply to the one of the request, and those without a request to the current one. */
function entryOf(intent: PageIntent, { conversations, pending }: IntentParts): OpenConversation | undefined {
  // What was written in a page is for the conversation that it showed, although another one may have taken its place by now.
  if (intent.conversation !== undefined) return conversations.openListed(intent.conversation);
  const prompt = 'promptId' in intent ? pending.find(intent.promptId) : undefined;
  return prompt?.entry ?? conversations.current;
}

function tableFor(
  entry: OpenConversation | undefined,
  {
    sources,
    pending,
    pages,
    actionsOn,
    documents,
    outputTerminals,
    preview,
    editorInUse,
    log,
    openPageOnce,
  }: IntentParts & { readonly openPageOnce: OnceAtATime },
): IntentTable {
  const source = sources.of(entry);
  const actions = actionsOn(entry);
  const answer = async (promptId: string, given: UserAnswer, feedback?: string, found = pending.find(promptId)): Promise<void> => {
    const words = feedback === undefined ? {} : { feedback };
    const isTaken =
      found !== undefined &&
      (await execute(found.entry.conversation, { type: 'answer_request', requestId: found.request.id, answer: given, ...words }));
    // The request was answered elsewhere, or withdrawn by the agent, just before the click. The next patch updates the page.
    if (!isTaken) log.info('Ignored an answer that was too late or not among the options');
  };
  const select = async (promptId: string, optionId: string, drawn: string | undefined): Promise<void> => {
    const found = pending.find(promptId);
    const option = found?.request.kind === 'permission' ? found.request.options.find((one) => one.optionId === optionId) : undefined;
    const refuses = option?.kind === 'reject_once' || option?.kind === 'reject_always';
    if (refuses || pending.findAsDrawn(promptId, drawn) !== undefined) await answer(promptId, selectOption(optionId));
    else log.info('Ignored a consent to what is not the case any more');
  };
  return {
    send: ({ id, text, steers = false }) => actions.send(text, { id, steers }),
    sendQueued: ({ id }) => actions.sendQueued(id),
    moveQueued: ({ id, before }) => actions.moveQueued(id, before),
    unqueue: ({ id, edits }) => actions.unqueue(id, edits === true),
    draft: ({ text }) => {
      source.keepDraft(text);
      if (entry !== undefined) pages.tellDraft(entry.id, text);
      return actions.lookForAgent();
    },
    composing: () => actions.prepareAgent(),
    select: ({ promptId, optionId, drawn }) => select(promptId, optionId, drawn),
    async saveAndSelect({ promptId, optionId, drawn }) {
      const before = pending.findAsDrawn(promptId, drawn);
      const files = before?.prompt.kind === 'permission' ? before.prompt.unsaved?.files : undefined;
      if (before === undefined || files === undefined) return;
      const paths = files.map(({ path }) => path);
      if (!(await saveFiles(paths)))
        throw new HostError('usage', {
          detail: `Nothing was allowed, because a file could not be saved: ${paths.join(', ')}. Save it, or allow the request anyway`,
        });
      // What is done to a file when it is saved, such as formatting, may be another change.
      const after = pending.findNow(promptId);
      if (after !== undefined && isDeepStrictEqual(diffsOfPrompt(after.prompt), diffsOfPrompt(before.prompt)))
        await answer(promptId, selectOption(optionId));
    },
    compareWithSaved: async ({ promptId, path }) => {
      const prompt = pending.find(promptId)?.prompt;
      if (prompt?.kind === 'permission' && prompt.unsaved?.files.some((file) => file.path === path) === true) await compareWithSaved(path);
    },
    answer: ({ promptId, values }) => answer(promptId, { type: 'accept', values }),
    decline: ({ promptId }) => answer(promptId, { type: 'decline' }),
    dismiss: ({ promptId, feedback }) => answer(promptId, { type: 'cancel' }, feedback),
    // The page lets the user press again, because the user may decline to open the link.
    openUrl: ({ promptId }) =>
      openPageOnce(promptId, async () => {
        const request = pending.find(promptId)?.request;
        if (request?.kind !== 'url' || !(await openWebLink(request.url)) || request.isOpened === true) return;
        await answer(promptId, { type: 'accept', values: {} });
      }),
    setOption: ({ selectorId, value }) => actions.setOption(selectorId, value),
    addFile: ({ path }) => actions.addSuggestedFile(path),
    addDropped: ({ uris }) => actions.addDropped(uris),
    sendFrom: ({ itemId, text, restores }) => actions.sendFrom(itemId, text, restores),
    addImage: ({ data }) => actions.addImage(data),
    addText: ({ text, name }) => actions.addText(text, name),
    removeChip: ({ id }) => actions.removeChip(id),
    openChip: ({ id }) => actions.openChip(id),
    openLocation: (place) => openLocation(place, actions.cwd()),
    openDiff: async ({ itemId, index }) => {
      // The panel for requests shows those of every conversation.
      const diff = findDiff(source.view(), itemId, index) ?? diffsOfPrompt(pending.find(itemId)?.prompt)[index];
      const edit = diff && pending.previewOf(itemId, diff.path);
      if (edit !== undefined) await preview.show(edit);
      else if (diff !== undefined) await documents.openDiff(diff.path, diff.oldText ?? '', diff.newText);
    },
    openChange: ({ itemId, path }) => actions.openChange(itemId, path),
    undoFile: ({ itemId, path }) => actions.undoFile(itemId, path),
    redoFile: ({ itemId, path }) => actions.redoFile(itemId, path),
    openLink: ({ href }) => openLink(href, actions.cwd()),
    openRaw: async ({ id, part }) => {
      const state = entry?.conversation.state;
      const item = state === undefined ? undefined : findItem(state, id);
      const request = pending.find(id)?.request;
      const document = item !== undefined ? rawDocument(item, part) : request === undefined ? undefined : rawInputOfRequest(request);
      if (document !== undefined) await documents.open(document.name, document.text);
    },
    stopCommand: async ({ id }) => {
      const item = entry && findItem(entry.conversation.state, id);
      // It may have ended just before the click.
      if (entry !== undefined && item !== undefined) await execute(entry.conversation, { type: 'stop_command', itemId: item.id });
    },
    openTerminal: ({ id }) => {
      if (entry === undefined) return;
      const { conversation, folder } = entry;
      const item = findItem(conversation.state, id);
      if (item?.kind !== 'tool') return;
      outputTerminals.show({
        id: `${entry.id} ${id}`,
        name: shorten(toolItemView(item, id, { cwd: folder.path, agent: source.view().header.agent }).target ?? item.title, nameChars),
        read: () => commandOutput(findItem(conversation.state, id)),
        onChange: (listener) => conversation.onChange(listener),
      });
    },
    copy: ({ text }) => actions.copyText(text),
    insertCode: ({ text }) => insertCode(text, editorInUse),
    applyCode: ({ text }) => applyCode(text, editorInUse),
    compareCode: ({ text }) => compareCode(text, editorInUse, documents),
    action: ({ action, itemId, methodId }) => actions[action](itemId, methodId),
  };
}

type OnceAtATime = (id: string, work: () => Promise<void>) => Promise<void>;

/** Ignores work for an ID for which earlier work is still under way. */
function onceAtATime(): OnceAtATime {
  const underWay = new Set<string>();
  return async (id, work) => {
    if (underWay.has(id)) return;
    underWay.add(id);
    await work().finally(() => underWay.delete(id));
  };
}

function run<T extends PageIntent['type']>(table: IntentTable, type: T, intent: IntentOf<T>): void | Promise<void> {
  return table[type](intent);
}

/** The tab that shows the edit of a request follows the request at the front. Call this when the requests or their files changed. The next request is the oldest one of the same conversation. */
export async function followRequests(pending: PendingPrompts, preview: EditPreview): Promise<void> {
  const { shown } = preview;
  if (shown === undefined) return;
  const same = pending.find(shown.promptId);
  if (same !== undefined) {
    const now = pending.previewOf(shown.promptId, shown.path);
    if (now?.drawn !== shown.drawn || now?.after !== shown.after) await preview.follow(now);
    return;
  }
  const next = pending.all.filter(({ entry }) => entry.id === shown.conversationId).map(({ prompt }) => pending.previewOf(prompt.id));
  await preview.follow(next.find((edit) => edit !== undefined));
}

/** Decides about the request whose edit the tab shows, unless the tab was not visible when the user pressed. */
export function decideEdit(preview: EditPreview, onIntent: (intent: PageIntent) => void, decision: 'allow' | 'reject'): void {
  const edit = preview.decided();
  if (edit?.options === undefined) return;
  const { promptId, drawn, options } = edit;
  const optionId = options[decision];
  if (optionId === undefined) onIntent({ type: 'dismiss', promptId });
  else onIntent({ type: 'select', promptId, optionId, ...(drawn === undefined ? {} : { drawn }) });
}
