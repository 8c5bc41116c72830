/** The public API: a host for coding agents that runs without an editor. The only barrel of the project. */
export { type DemoAgentLaunch, type FoundAgent, builtinAgents, chooseDefaultAgent, findAgents } from './host/agents.js';
export { createAgentHost } from './host/agentHost.js';
export {
  type AgentDefinition,
  type AgentHost,
  type AgentHostOptions,
  type AgentStatus,
  type Deadlines,
  defaultDeadlines,
  type HostCounters,
  type HostDiagnostics,
  type ReadTraffic,
  type Session,
  type TrafficItem,
} from './host/api.js';
export { type Examination, examine } from './doctor/doctor.js';
export type { Check, Finding, FindingState } from './doctor/finding.js';
export type { AgentCapabilities, AgentInfo, AuthMethod, McpServer, SessionUpdate } from './backends/backend.js';
export { type PromptRisk, promptRisk } from './backends/acp/profiles/promptRisk.js';
export { type ProviderSettings, providerEnv } from './backends/acp/profiles/agentaoEnv.js';
export { type Disposable, DisposableStore, toDisposable } from './base/disposable.js';
export { type HostErrorCode, type HostErrorData, HostError, toHostError } from './base/errors.js';
export { type Event, Emitter } from './base/event.js';
export { type Logger, nullLogger, tagged } from './base/logger.js';
export { Redactor } from './base/redact.js';
export type { ExitInfo } from './node/exitInfo.js';
export { loginEnv } from './node/loginEnv.js';
export { readBefore, readChain } from './session/chain.js';
export { type ConversationContext, contextBlock, contextOf, defaultContextLimitChars, isContextBlock } from './session/context.js';
export type { AskDeadlines } from './services/asks.js';
export type { OpenedHow, SessionEvent, ToolPatch } from './session/event.js';
export { parseContent } from './session/keptPrompt.js';
export { type JournalLimits, defaultJournalLimits } from './session/journalFiles.js';
export type { JournalHeader } from './session/journalFormat.js';
export type { WhichConversation } from './session/journalLookup.js';
export type { JournalContent, JournalSummary } from './session/journalRead.js';
export { type Journal, type JournalStore, type JournalStoreOptions, createJournalStore, readConversation } from './session/journal.js';
export type * from './session/model.js';
export { emptySession, reduce, reduceAll } from './session/reducer.js';
export type { RequestOutcome, RequestRecord } from './rpc/requestLog.js';
export { withoutContents } from './trace/contents.js';
export { type Trace, type TraceHeader, type TracedEntry, type TraceLine, formatTrace, parseTrace, processesOf } from './trace/traceFile.js';
export { type PlayerPorts, TracePlayer } from './trace/tracePlayer.js';
export type { TrafficEntry } from './transport/traffic.js';
