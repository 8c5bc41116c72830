/** The composition root for everything that users see and do in a window. Nothing here starts an agent. */
import * as vscode from 'vscode';
import { actionOf } from '../contract/userActions.js';
import { DisposableStore, tagged } from '../core/index.js';
import { markFocus, markPreview } from './status/attention.js';
import { ChatPages } from './chat/chatPages.js';
import { ChatSources } from './chat/chatSource.js';
import { PendingPrompts } from './chat/pendingPrompts.js';
import { createReturner } from './actions/promptActions.js';
import { decideEdit, followRequests, intentRunner } from './actions/intents.js';
import type { PageIntent } from './pages/pageLink.js';
import { execute, keepShown, type OpenConversation, whenFilesChange } from './conversation/openConversations.js';
import { composeConversations } from './composeConversations.js';
import { ConversationsList } from './list/conversationsList.js';
import { conversationName, isUnnamed, nameIn } from './list/listRow.js';
import type { LazyTree } from './list/lazyTree.js';
import { createListView, listTarget, otherTarget } from './list/listView.js';
import { OtherSessions } from './list/otherSessions.js';
import { Doctor } from './doctor/doctor.js';
import { createChangedFiles, createDocuments } from './editor/documents.js';
import { registerCodeActions } from './editor/code.js';
import { EditorInUse } from './editor/editorInUse.js';
import { createEditPreview } from './editor/editPreview.js';
import { OutputTerminals } from './editor/outputTerminals.js';
import { OpenFile } from './editor/fileChips.js';
import { UnsavedTexts } from './editor/unsavedTexts.js';
import { RequestFiles } from './editor/requestFiles.js';
import { filesNamed, filesOf, WorkspaceFiles, workspaceImage } from './editor/workspaceFiles.js';
import { isTrusted, onTrusted, openFolders } from './window/workspace.js';
import { clientInfoOf } from './window/clientInfo.js';
import { type Actions, createActions } from './actions/actions.js';
import { comparisonOf, comparisonTitle } from './actions/changeActions.js';
import { commandTarget } from './actions/actionScope.js';
import { actionOfSession } from './actions/sessionActions.js';
import { reportProblem } from './problemReport/reportProblem.js';
import { DoneTurns, EngineLoss, watchAnswers } from './status/notices.js';
import { markFilesToReview } from './status/reviewMarks.js';
import { PromptPanel } from './prompts/promptPanel.js';
import { createEditorReview } from './review/editorReview.js';
import { errorReporter } from './actions/errorReport.js';
import { onSettingsChanged } from './window/settings.js';
import { windowDrawer } from './drawWindow.js';
import { TrafficPanel } from './traffic/trafficPanel.js';
import { createUnsavedMemory } from './window/windowMemory.js';

/** What the small bundle that activation loads may call. */
export interface HostSide {
  /**
   * Runs a contributed command. Shows what fails instead of throwing.
   * @param argument what the editor passes to the command: what was clicked
   * @param selected the second argument: everything that is selected
   */
  run(command: string, argument: unknown, selected: unknown): Promise<void>;
  resolveChatView(view: vscode.WebviewView): Promise<void>;
  /** @param state the saved state of the page */
  adoptChatPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void>;
  /** Leaves the engine; ends one that belongs to this window. */
  end(): Promise<void>;
}

/** The number of conversations that stay open because the user is reviewing what they changed: their files are marked. */
const keptForReview = 8;
/** In the memory of all windows: until when turns ended that the user was told about. */
const toldKey = 'turnsToldUntil';

/** What activation has created, for the host to fill. */
export interface WindowParts {
  readonly statusItem: vscode.StatusBarItem;
  readonly tree: LazyTree;
}

export function compose(context: vscode.ExtensionContext, { statusItem, tree }: WindowParts): HostSide {
  const store = new DisposableStore();
  const { redactor, sink, engine, endEngine, writeMessageFile, memory, agents, traffic, conversations, examinationOf } =
    composeConversations(context, store, (error) => void reportInFront(() => Promise.reject(error)));
  const { log } = sink;
  const { extensionUri } = context;
  const documents = store.add(createDocuments());
  const outputTerminals = store.add(new OutputTerminals());
  const changedFiles = store.add(createChangedFiles((version) => engine.call('changed_content', version)));
  const requestFiles = store.add(new RequestFiles());
  const preview = store.add(createEditPreview(markPreview));
  const editorInUse = store.add(new EditorInUse());
  const openFile = store.add(new OpenFile());
  const unsavedTexts = store.add(new UnsavedTexts(createUnsavedMemory(context.workspaceState)));
  store.add(registerCodeActions());
  let { quietAfterMs } = agents.settings();
  const loss = store.add(new EngineLoss(engine, log));
  const firstConnection = new Promise<void>((resolve) => {
    store.add(engine.onConnection(({ state }) => state === 'connected' && resolve()));
  });
  const doctor = store.add(new Doctor({ conversations, log, examinationOf }));
  const nameOf = ({ id, conversation }: OpenConversation): string => {
    const entry = conversations.listed(id);
    return entry === undefined || isUnnamed(entry) ? conversationName(conversation.state) : nameIn(entry);
  };
  const files = new WorkspaceFiles();
  const sources = store.add(
    new ChatSources(conversations, {
      nameOf,
      folderOf: ({ folder }) => (openFolders().length > 1 ? folder.name : undefined),
      recent: ({ id, folder }) =>
        conversations.list
          .filter((one) => one.cwd === folder.path && one.id !== id && !one.isArchived && !isUnnamed(one))
          .toSorted((one, other) => other.usedAt - one.usedAt)
          .slice(0, 3)
          .map((one) => ({ id: one.id, name: nameIn(one) })),
      closed: whyClosed,
      quietAfterMs: () => quietAfterMs,
      doctorNote: (entry) => doctor.note(entry),
      lastKnown: (agentId) => engine.facts.state.agents[agentId],
      isEngineLost: () => loss.isNoticed,
      openFile,
      changedUnderText: () => unsavedTexts.changed,
      requestFiles,
      leavesOutOpenFile: (id) => conversations.listed(id)?.leavesOutOpenFile === true,
      filesNamed,
      suggestFiles: (typed, cwd) => files.suggest(typed, cwd),
      workspaceImage,
    }),
  );
  const listView = store.add(createListView(tree));
  const others = store.add(new OtherSessions({ engine, ours: () => conversations.list, isTrusted }));
  const list = store.add(new ConversationsList({ view: listView, conversations, others, folders: openFolders }));
  const pending = store.add(new PendingPrompts({ conversations, nameOf, files: requestFiles }));
  store.add(watchAnswers(conversations, engine.id));
  const entryOf = (promptId: string): OpenConversation | undefined => pending.find(promptId)?.entry;
  const isOnScreen = (promptId: string): boolean => {
    const entry = entryOf(promptId);
    return entry === undefined || pages.isOnScreen(entry.id);
  };
  const onIntent = (intent: PageIntent): void => void runIntent(intent);
  const pages = store.add(
    new ChatPages({
      extensionUri,
      conversations,
      sources,
      nameOf,
      reopen,
      onIntent,
      log: tagged(log, 'page'),
      onFocus: markFocus,
      onVisibility: () => {
        promptPanel.refresh();
        tellSeen();
        void returnPrompts();
      },
    }),
  );
  const tellSeen = (): void => engine.see(conversations.all.filter(({ id }) => pages.isOnScreen(id)).map(({ id }) => id));
  tellSeen();
  const returnPrompts = createReturner({ conversations, sources, pages });
  const promptPanel = store.add(
    new PromptPanel({
      extensionUri,
      source: pending,
      onIntent,
      log: tagged(log, 'prompts'),
      isOnScreen,
      place: () => agents.settings().requestsOutOfSight,
      reveal: (promptId) => {
        const entry = entryOf(promptId);
        if (entry !== undefined) void report(entry, () => pages.reveal(entry));
      },
    }),
  );
  const hostVersion = clientInfoOf(context).version;
  const toReport = (): Promise<void> => reportProblem({ traffic, conversations, doctor, redactor, engine, hostVersion });
  const trafficPanel = store.add(
    new TrafficPanel({
      extensionUri,
      sources: traffic,
      hostVersion,
      log: tagged(log, 'traffic'),
      report: (work) => void reportInFront(work),
      saveFolder: () => openFolders()[0]?.path,
      reportProblem: toReport,
    }),
  );
  const review = store.add(
    createEditorReview({
      conversations,
      engine,
      notesOf: (entry) => sources.of(entry),
      agentOf: (entry) => sources.of(entry).view().header.agent,
      nameOf,
      compare: (entry, file) => actionsOn(entry).compareFile(file),
      undoFile: (entry, file) => actionsOn(entry).undoFileToReview(file),
      // A file beside what a request makes of it has the buttons of the request.
      showsLenses: (uri) => agents.settings().showsChangeLenses && !preview.compares(uri),
      report: (work) => reportInFront(work),
    }),
  );
  const actionParts = {
    redactor,
    conversations,
    sources,
    pending,
    pages,
    traffic: trafficPanel,
    decideEdit: (decision: 'allow' | 'reject') => decideEdit(preview, onIntent, decision),
    showLog: sink.show,
    report: (work: () => Promise<unknown>) => reportInFront(work),
    reportProblem: toReport,
    engine,
    documents,
    changedFiles,
    unsavedTexts,
    review,
    editorInUse,
    files,
    writeMessageFile,
    agents,
    list,
    others,
    doctor,
    memory,
  };
  const actionsOn = (entry: OpenConversation | undefined): Actions => createActions(actionParts, () => entry);
  const report = errorReporter({ log, agentOf: (entry) => sources.of(entry).view().header.agent, actionsOn });
  /** Reports failures of actions that belong to no particular conversation. */
  const reportInFront = (work: () => Promise<unknown>): Promise<void> => report(conversations.current, work);
  const runIntent = intentRunner({
    sources,
    conversations,
    pending,
    pages,
    actionsOn,
    documents,
    outputTerminals,
    preview,
    editorInUse,
    report,
    log,
  });

  async function reopen(id: string): Promise<OpenConversation | undefined> {
    await firstConnection;
    return conversations.openListed(id);
  }

  function onShown(): void {
    keepShown(conversations, memory);
    closeIdle();
  }

  /** Conversations that end later are closed then. */
  function closeIdle(): void {
    const reviewed = conversations.all.filter(review.isReviewing).slice(-keptForReview);
    conversations.closeIdle((entry) => pages.hasTab(entry.id) || sources.of(entry).isBusy || reviewed.includes(entry));
  }

  const doneTurns = store.add(
    new DoneTurns({
      conversations,
      nameOf: nameIn,
      isOnScreen: (id) => pages.isOnScreen(id),
      isFocused: () => vscode.window.state.focused,
      notice: () => agents.settings().notifyWhenDone,
      show: (id) => void reportInFront(async () => actionsOn(undefined).openConversation(id)),
      showAll: () => void vscode.commands.executeCommand('acpHost.conversations.focus'),
      told: {
        read: () => context.workspaceState.get<number>(toldKey) ?? 0,
        write: (until) => void context.workspaceState.update(toldKey, until),
      },
    }),
  );
  const drawWindow = windowDrawer({
    statusItem,
    conversations,
    sources,
    pending,
    list,
    promptPanel,
    nameOf,
    engine: () => (engine.connection.state === 'connected' ? engine.connection.engine : undefined),
    isWanted: () => agents.settings().requestsOutOfSight === 'notification',
    find: (promptId) => pending.find(promptId)?.prompt,
    select: (promptId, optionId) => onIntent({ type: 'select', promptId, optionId }),
    isOnScreen,
    show: (promptId) => {
      const entry = entryOf(promptId) ?? conversations.current;
      void report(entry, () => pages.focus(entry, 'prompt'));
    },
  });
  store.add(
    markFilesToReview({
      conversations,
      nameOf,
      comparing: (entry, file) =>
        changedFiles.comparing(comparisonTitle(file.path, entry.conversation.state.agent?.label ?? 'an agent'), comparisonOf(entry, file)),
      earlier: (entry, file) => changedFiles.earlier(comparisonOf(entry, file)),
    }),
  );
  for (const drawn of [sources, pending, list]) store.add(drawn.onChange(drawWindow));
  for (const shown of [requestFiles, openFile, unsavedTexts, doctor, loss, engine.facts])
    store.add(shown.onChange(() => sources.refresh()));
  store.add(sources.onChange(review.draw));
  store.add(preview.onShown(review.refreshLenses));
  store.add(
    pending.onChange(() => {
      void reportInFront(() => followRequests(pending, preview));
      if (pending.all.length === 0) requestFiles.release();
    }),
  );
  store.add(
    pending.onFrame(() => {
      doneTurns.look();
      void returnPrompts();
      closeIdle();
    }),
  );
  store.add(
    conversations.onListChange(() => {
      pages.labelTabs();
      drawWindow();
    }),
  );
  store.add(whenFilesChange(conversations, () => void unsavedTexts.look()));
  store.add(conversations.onChange(() => doctor.watch()));
  store.add(sources.onText(({ conversationId, text }) => pages.tellDraft(conversationId, text)));
  const refreshAgents = (): void => {
    for (const entry of conversations.all) void report(entry, () => execute(entry.conversation, { type: 'refresh_agent' }));
  };
  store.add(
    onTrusted(() => {
      sources.refresh();
      refreshAgents();
    }),
  );
  store.add(
    onSettingsChanged(() => {
      ({ quietAfterMs } = agents.settings());
      review.refreshLenses();
      refreshAgents();
    }),
  );
  store.add(sink.onTracing(() => traffic.trace()));
  store.add(
    vscode.workspace.onDidChangeWorkspaceFolders(({ removed }) => {
      for (const { uri } of removed) void reportInFront(() => conversations.closeFolder(uri.fsPath));
      conversations.openRunning();
      list.refresh();
      void firstConnection.then(onShown);
    }),
  );
  store.add(conversations.onShown(onShown));
  // What was shown, and what there is to show, is known then.
  void firstConnection.then(onShown);
  void firstConnection.then(() => doneTurns.cameBack());
  const starting = engine.connected().catch((error: unknown) => {
    void reportInFront(() => {
      throw error;
    });
  });

  return {
    async run(command, argument, selected) {
      const action = actionOf(command);
      const row = await listTarget(argument, () => listView.focused());
      if (action === undefined) return;
      // A command may be the first thing that a user does in a window.
      await starting;
      if (row === undefined) {
        const entry = commandTarget(command, conversations, argument);
        const files = action === 'addFilesToChat' ? filesOf(argument, selected) : [];
        if (files.length > 0) return report(entry, () => actionsOn(entry).addFiles(files));
        if (action === 'saveComment' || action === 'deleteComment') return report(entry, async () => review[action](argument));
        // Those of a lens.
        const [first = otherTarget(argument), second] = [argument, selected].map((one) => (typeof one === 'string' ? one : undefined));
        return report(entry, () => actionsOn(entry)[action](first, second));
      }
      if (row.type === 'session') {
        const entry = conversations.current;
        const ofSession = actionOfSession(action);
        return ofSession && report(entry, () => actionsOn(entry)[ofSession](row.id));
      }
      const onListed = createActions(
        actionParts,
        () => conversations.current,
        () => row.id,
      );
      await report(conversations.get(row.id), () => onListed[action]());
    },
    resolveChatView: (view) => pages.resolveView(view),
    adoptChatPanel: (panel, state) => pages.adoptTab(panel, state),
    async end() {
      store.dispose();
      await endEngine();
    },
  };
}

function whyClosed(): 'no_folder' | 'untrusted' | undefined {
  if (openFolders().length === 0) return 'no_folder';
  return isTrusted() ? undefined : 'untrusted';
}
