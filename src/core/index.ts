/** The public API: a host for coding agents that runs without an editor. The only barrel of the project. */
export { type DemoAgentLaunch, type FoundAgent, builtinAgents, chooseDefaultAgent, findAgents } from './host/agents.js';
export { createAgentHost } from './host/agentHost.js';
export { type AgentDefinition, type AgentHost, type AgentHostOptions, type AgentStatus, type Deadlines, defaultDeadlines, type Session } from './host/api.js';
export type { AgentCapabilities, AgentInfo, AuthMethod, McpServer, SessionUpdate } from './backends/backend.js';
export { type ProviderSettings, providerEnv } from './backends/acp/profiles/agentaoEnv.js';
export { type Disposable, DisposableStore, toDisposable } from './base/disposable.js';
export { type HostErrorCode, type HostErrorData, HostError, toHostError } from './base/errors.js';
export { type Event, Emitter } from './base/event.js';
export { type Logger, nullLogger, tagged } from './base/logger.js';
export { Redactor } from './base/redact.js';
export type { ExitInfo } from './node/exitInfo.js';
export { loginEnv } from './node/loginEnv.js';
export type { OpenedHow, SessionEvent, ToolPatch } from './session/event.js';
export { type Journal, type JournalContent, type JournalHeader, type JournalStore, type JournalStoreOptions, type JournalSummary, createJournalStore, readConversation } from './session/journal.js';
export type * from './session/model.js';
export { emptySession, reduce, reduceAll } from './session/reducer.js';
export type { TrafficEntry } from './transport/traffic.js';
