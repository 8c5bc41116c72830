/** The public API: a host for coding agents that runs without an editor. The only barrel of the project. */
export {
  type FindingState,
  findingStates,
  type KnownAgent,
  type PromptHang,
  type ProviderFacts,
  type ProviderAgent,
  type ProviderPreset,
  takesProvider,
} from './agents/agentKnowledge.js';
export {
  addKnownAgent,
  type BundledLaunch,
  builtinAgents,
  checkPrompt,
  chooseDefaultAgent,
  exampleCommandLine,
  fallbackAgent,
  findAgentOfCommand,
  findAgents,
  installCommandFor,
  findKnownAgent,
  type FoundAgent,
  isAvailable,
  knownAgents,
  suggestedAgent,
} from './agents/knownAgents.js';
export { type AgentHost, createAgentHost } from './host/agentHost.js';
export { commandOfMethod, missingKeys, signInInTerminal, type TerminalMethod } from './host/signIn.js';
export {
  type AgentHostOptions,
  type AgentStatus,
  defaultDeadlines,
  type HostCounters,
  type HostDiagnostics,
  type ReadTraffic,
  type Session,
  type SessionBatch,
  type TrafficItem,
  type WhileRunning,
} from './host/api.js';
export type { RestartLimits } from './host/restartPolicy.js';
export {
  addressOf,
  type AgentDefinition,
  environmentFor,
  type KeySource,
  type ProcessDefinition,
  type ServerDefinition,
} from './agents/agentDefinition.js';
export { isPlainBeyondLoopback, parsePin, parseServerUrl } from './agents/serverUrl.js';
export { type Examination, examine } from './doctor/doctor.js';
export { type Check, checks, type Finding, type FindingCode, type Findings, type ToolFacts } from './doctor/finding.js';
export type {
  AgentBackend,
  AgentInfo,
  AgentQueue,
  AuthMethod,
  BackendDeadlines,
  BackendEnd,
  BackendSession,
  BackendSessions,
  ClientInfo,
  CloseOptions,
  ConnectAgent,
  ConnectOptions,
  ConnectServer,
  Delivery,
  OpenRequest,
  PromptResult,
  ListEnd,
  ResumeMethod,
  SavedSession,
  SavedSessions,
  ServerConnectOptions,
  SessionSink,
} from './backends/agentBackend.js';
export type { AgentPlace, AgentSessionChange, AgentSessionList } from './conversation/agentSessions.js';
export { definedServer, inputsIn, type McpServer, type McpServers, readMcpServers } from './agents/mcpServers.js';
export { type McpFile, type McpInput, parseMcpFile, readMcpFiles } from './agents/mcpServers.js';
export { connectBackend } from './host/connectAgent.js';
export { createFileAccess, type FileAccess } from './services/files.js';
export { type HostServices, isVendorMethod, type RequestUser, type VendorMessages } from './services/hostServices.js';
export { type CallAsker, CallRequests, UserRequestRegistry } from './services/userRequests.js';
export {
  type AcpOffer,
  AcpProjection,
  type AcpUpdate,
  deliveryIn,
  deliveryMeta,
  deliveryOffer,
  forkedAfter,
  promptIdIn,
  queueMeta,
  toAcpOffer,
  toAcpPermission,
} from './backends/acp/acpProjection.js';
export { splitCommandLine, type SplitOptions } from './base/commandLine.js';
export { type Clock, systemClock } from './base/clock.js';
export { type Disposable, DisposableStore, toDisposable } from './base/disposable.js';
export {
  type ErrorParams,
  type ErrorReasons,
  type HostErrorCode,
  type HostErrorData,
  HostError,
  messageOf,
  toHostError,
} from './base/errors.js';
export { type Event, Emitter } from './base/event.js';
export { fenced } from './base/fenced.js';
export { isFields, textMember, withoutAbsent } from './base/fields.js';
export { foldToOneLine, hidesText, revealHidden, revealOnOneLine } from './base/hiddenText.js';
export { type DiffLine, diffTexts, foldUnchanged, type LineDiff, partsOf, snippetStart } from './base/lineDiff.js';
export { type ChangeHunk, type Hunk, hunksOfChange, undoHunk } from './base/hunks.js';
export { keepLatest } from './base/keepLatest.js';
export { OneByOne } from './base/oneByOne.js';
export { parseJson } from './base/parseJson.js';
export { printedText, printedWithStyles, stripControls, stripPiece } from './base/terminalCodes.js';
export { wellFormedJson } from './session/wholeCharacters.js';
export { SubagentTasks } from './session/subagentTasks.js';
export { WholeCharacters } from './session/wholeCharacters.js';
export { type Logger, nullLogger, tagged } from './base/logger.js';
export { redactedMark, Redactor } from './base/redact.js';
export type { ExitInfo } from './node/spawnProcess.js';
export { machineOf } from './node/linkedPath.js';
export { fileFacts, listFiles, nearestRealPathNow, realPath, removeFile, writePrivateFile } from './node/files.js';
export { pictureType } from './base/pictureType.js';
export { isOnThisMachine, misleadingHost, pageFacts } from './base/misleadingHost.js';
export { loginEnv, withoutEditor } from './node/loginEnv.js';
export { anywhere } from './node/resolveCommand.js';
export { withoutContext } from './conversation/context.js';
export { type ConversationContext, contextBlock, contextOf, defaultContextLimitChars, isContextBlock } from './conversation/context.js';
export type { CodeDiagnostic, CodeLocation, CodeNavigation, OpenEditor } from './services/codeNavigation.js';
export type { RequestDeadlines } from './services/userRequests.js';
export { isAcceptable, isFilledIn } from './services/isAcceptable.js';
export { pathBehindLinks } from './node/linkedPath.js';
export { describePermission, isOrdinary, optionDigits, shownHunk, sortedByKind } from './request/describePermission.js';
export type { PlacedHunk } from './request/changeFit.js';
export { commandIn } from './request/inputParts.js';
export { unwrapShell } from './request/shellCommand.js';
export type {
  DiffPart,
  FileText,
  PermissionDescription,
  PlacedChange,
  RequestFolder,
  RequestPart,
  RequestRisk,
  RequestSubject,
  ShownPath,
} from './request/description.js';
export { joinChoices, splitChoices } from './session/joinedChoices.js';
export {
  type AskingSubagent,
  type BooleanField,
  type Choice,
  type CloseReason,
  type ConfirmRequest,
  type EditorRequest,
  type FieldValue,
  type FieldValues,
  type FormField,
  type FormRequest,
  type HostQuestion,
  type PermissionOption,
  type PermissionRequest,
  type PermissionSubject,
  type UrlRequest,
  type UserAnswer,
  type UserRequest,
  closeReasonOf,
  dismissingOption,
  requestTitle,
  selectedOption,
  selectOption,
} from './session/userRequest.js';
export { type CommandResult, type ConversationCommand, isRefusal, type Refusal, type WaitingPrompts } from './conversation/commands.js';
export type { ConversationClient, ConversationListClient } from './engine/replica.js';
export { ConversationController } from './conversation/conversationController.js';
export {
  type ConversationActivity,
  type ConversationListCommand,
  type ConversationListEntry,
  type ConversationListEvent,
  type ConversationListState,
  runsTurn,
} from './conversation/conversationList.js';
export { Conversations } from './conversation/conversations.js';
export { type ConversationBatch, type ConversationEvent, onlySpeak, reduceConversation } from './conversation/events.js';
export type {
  ConversationLibrary,
  ConversationSummary,
  SavedChange,
  SavedConversation,
  SavedTurn,
} from './conversation/ports.js';
export type {
  AgentChoice,
  ConversationPlace,
  ConversationPorts,
  ConversationRecord,
  CreatedHost,
  OptionDefault,
} from './conversation/ports.js';
export type { OptionChange } from './conversation/optionChanges.js';
export { agentSummary } from './conversation/agentHandle.js';
export {
  type AgentSummary,
  type Blocker,
  type ConversationState,
  type HoldReason,
  holdReasons,
  type InterruptedTurn,
  type OutboxPrompt,
  type SessionKey,
  emptyConversation,
  isAtRest,
  isInTurn,
  isRunning,
  sessionsOf,
  lateWorkIn,
  isSettled,
  openRequests,
} from './conversation/state.js';
export { type FrontEndIdentity, frontEndPrograms, type OpenedBy, type SessionEvent, type ToolPatch } from './session/event.js';
export { eventsSince, lastTurnOf } from './session/stateAsEvents.js';
export { canStopLate, lastLateItem, lateBeginnings, lateSince, type LateWork, workBesideTurn } from './session/lateWork.js';
export {
  type ChangedFile,
  type ChangeSet,
  type ChangesProblem,
  filesNamedBy,
  type UnkeptReason,
  unkeptReasons,
  type FileStatus,
  fileStatuses,
  type LeftFile,
  type LeftReason,
  type LineOrigin,
  shownFiles,
  type UndoResult,
} from './session/changes.js';
export type { RecordingOptions } from './services/changes/folderChanges.js';
export type { JournalContent, JournalSession, SessionHeader } from './journal/journalFormat.js';
export { type JournalLimits, defaultJournalLimits, type RemovedConversations } from './journal/journalLimits.js';
export {
  type Journal,
  type OpenJournal,
  type JournalStore,
  type JournalStoreOptions,
  createJournalStore,
  readConversation,
} from './journal/journalStore.js';
export { ConversationStore, type ConversationStoreOptions } from './store/conversationStore.js';
export type { AgentFacts, FolderFacts } from './store/factMemory.js';
export { changeDraft, type Chip, type DraftChange, type DraftContent, emptyDraft } from './conversation/draft.js';
export { messageFilesIn, type WriteMessageFile } from './store/messageFiles.js';
export { type ConversationHit, mostSearchHits, wordSearch } from './store/searchConversations.js';
export { journalFolder, messageFolder, stateFolder } from './store/stateFolder.js';
export type { AlwaysScope, AskGate, FailureHint, ModeHint, RetryReason, ToolCaveat } from './session/agentHint.js';
export type {
  HostNotice,
  HostNoticeCode,
  HostNotices,
  MissingCause,
  UnansweredReason,
  UnaskedAct,
  UnrestoredOption,
} from './session/hostNotice.js';
export type { LeftOutServer, SessionContext } from './session/sessionContext.js';
export type * from './session/model.js';
export { isInterrupted, isPrompt } from './session/model.js';
export {
  type CodeSymbol,
  type CodeTask,
  type CodeTaskKind,
  codeTaskKinds,
  functionNameOf,
  isSymbolsBlock,
  pieceOf,
  rangeIn,
  taskPrompt,
  codeBlock,
  codeUri,
  type TextPosition,
  type TextRange,
  wholeRange,
} from './session/codeTask.js';
export type { HostCommand } from './session/model.js';
export { MessageSeams, type SeenMessage } from './session/reduceMessage.js';
export { isWorking, subagentItemId } from './session/reduceSubagent.js';
export { subagentCall, subagentStart } from './agents/subagentCall.js';
export { optionName, type OptionWish, valuesOf } from './session/chooseOption.js';
export { choicesOf, isChoice, isCustom, MODE_OPTION_ID, neverAsks, selectOf } from './session/sessionOption.js';
export { firstLine, promptText } from './session/content.js';
export { titleOf } from './session/sessionTitle.js';
export { emptySession, reduce, reduceAll } from './session/reducer.js';
export {
  addProtocol,
  defaultProtocol,
  hasOwnProtocols,
  frameDescriberOf,
  type Protocol,
  protocolNames,
  protocolOf,
} from './backends/protocols.js';
export { growthSince, sharesText } from './session/textGrowth.js';
export type { FrameDescriber, FrameDescription } from './traffic/frameDescriber.js';
export type { RequestOutcome, RequestRecord } from './traffic/requestLog.js';
export {
  type Trace,
  type TraceHeader,
  type TracedEntry,
  type TraceLine,
  formatTrace,
  parseTrace,
  processesOf,
} from './traffic/trace.js';
export { type Deviation, type FrameName, type PlayerPorts, TracePlayer } from './traffic/trace.js';
export { LineSplitter } from './transport/lineSplitter.js';
export type { TrafficEntry } from './traffic/trafficEntry.js';
export {
  type AgentCatalog,
  type AvailableAgent,
  type CatalogAgent,
  installNameOf,
  listCatalog,
  planInstall,
  programOnPath,
  withInstalledAgents,
} from './registry/agentCatalog.js';
export { type AgentElsewhere, keysOfAgentsElsewhere, listAgentsElsewhere } from './registry/agentsElsewhere.js';
export { installAgent, type InstallQuestion, type InstallStep, removeAgent } from './registry/installAgent.js';
export { agentIdOf, type InstalledAgent, type OwnAgents, readInstalledAgents } from './registry/installedAgents.js';
export { fetchRegistry, type Registry, readRegistry, registryUrl } from './registry/agentCatalog.js';
export { type InstallWay, type RegistryEntry } from './registry/registryEntry.js';
export { connectToEngineProcess, type EngineProcessOptions } from './engine/engineAccess.js';

export { EngineAccess, type EnginePlace, signsOfWork } from './engine/engineAccess.js';
export { Engine, type EngineOptions } from './engine/engine.js';
export {
  EngineClient,
  type EngineClientOptions,
  type EngineConnection,
  type FrontEndServices,
  hangingEngine,
  killEngine,
} from './engine/engineClient.js';
export type {
  AgentProcess,
  Attaching,
  EngineFacts,
  EngineNotice,
  EngineSummary,
  StartableAgent,
} from './engine/contract.js';
export type { Wire } from './link/wire.js';
export { realFolderPath } from './node/smallFiles.js';
export { isWithin } from './base/paths.js';
