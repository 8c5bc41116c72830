/** What a front end and an engine say to each other: calls in both directions, and channels with snapshots and batches. All of it is plain data. */
import * as z from 'zod/mini';
import type {
  AgentPlace,
  AgentSessionChange,
  AgentSessionList,
  AgentSessionsQuery,
  ChangedAgentSession,
} from '../conversation/agentSessions.js';
import type { CommandResult, ConversationCommand } from '../conversation/commands.js';
import type { Batch } from '../conversation/events.js';
import type { ConversationListCommand } from '../conversation/conversationList.js';
import type { AgentChoice, OptionDefault, SavedConversation } from '../conversation/ports.js';
import type { AgentSummary, SessionKey } from '../conversation/state.js';
import type { AgentHostOptions, HostDiagnostics, ReadTraffic, TrafficItem } from '../host/api.js';
import type { HostErrorData } from '../base/errors.js';
import { readErrorData } from '../link/wire.js';
import type { RemovedConversations } from '../journal/journalLimits.js';
import type { RecordingOptions } from '../services/changes/folderChanges.js';
import type { CodeNavigation } from '../services/codeNavigation.js';
import type { ChangedFile, LineOrigin, UndoResult } from '../session/changes.js';
import type { FrontEndProgram } from '../session/event.js';
import type { AgentFacts, FolderFacts } from '../store/factMemory.js';
import type { ConversationHit } from '../store/searchConversations.js';

/** Changes if a front end and an engine could no longer understand each other. What is added does not change it. */
export const linkVersion = 1;

/** An agent's process or connection, running or ended. */
export interface AgentProcess {
  /** Unique in the engine. */
  readonly id: number;
  readonly agentId: string;
  readonly label: string;
  /** Absolute. */
  readonly cwd: string;
  readonly hasEnded: boolean;
  /** Whether the running agent lists the sessions that it has saved. */
  readonly listsSessions: boolean;
}

/** What is known about folders and agents, and which agents run. */
export interface EngineFacts {
  readonly revision: number;
  /** By the path of the folder, absolute and without symbolic links. */
  readonly folders: Readonly<Record<string, FolderFacts>>;
  /** The agents that were used before, by their IDs. */
  readonly agents: Readonly<Record<string, AgentFacts>>;
  /** Those that have ended come first. */
  readonly processes: readonly AgentProcess[];
}

export type EngineFactsEvent =
  | { readonly type: 'folder'; readonly path: string; readonly facts: FolderFacts }
  | { readonly type: 'agent'; readonly id: string; readonly facts: AgentFacts }
  | { readonly type: 'processes'; readonly processes: readonly AgentProcess[] };

export const noFacts: EngineFacts = { revision: 0, folders: {}, agents: {}, processes: [] };

export function reduceFacts(state: EngineFacts, { revision, events }: Batch<EngineFactsEvent>): EngineFacts {
  let next: EngineFacts = { ...state, revision };
  for (const event of events) {
    switch (event.type) {
      case 'folder':
        next = { ...next, folders: { ...next.folders, [event.path]: event.facts } };
        break;
      case 'agent':
        next = { ...next, agents: { ...next.agents, [event.id]: event.facts } };
        break;
      case 'processes':
        next = { ...next, processes: event.processes };
    }
  }
  return next;
}

/** An engine as its front ends and the command line show it. */
export interface EngineSummary {
  readonly version: string;
  readonly pid: number;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** `process`: of its own. `window`: it ends with the window in which it runs. */
  readonly location: 'process' | 'window';
  readonly memoryBytes: number;
  /** The number of front ends that keep it alive. */
  readonly frontEnds: number;
  /** The number of conversations in which something runs, or waits for the user. */
  readonly running: number;
  /** How long it stays after the last front end left and the last turn ended. */
  readonly keepAliveMs: number;
}

/** Who attaches, and what follows when it leaves. */
export interface Attaching {
  readonly program: FrontEndProgram;
  /** Unique for ever, and the same after a broken connection. It stands in what this front end answers; absent: nothing tells who answered. */
  readonly id?: string;
  /**
   * `share`: what it shows goes on if something runs in it. `once`: conversations that only this front end shows end. `look`: it keeps nothing
   * alive, not even an idle engine.
   */
  readonly use: 'share' | 'once' | 'look';
  /** How long an idle engine stays after the last front end left; absent: as long as one before wanted, at first not at all. */
  readonly keepAliveMs?: number;
  /** What to record of changes; absent: as the last one before wanted, at first the defaults. */
  readonly recording?: RecordingOptions;
}

/** What a front end asks of the engine. */
export interface EngineCalls {
  attach: { params: Attaching; result: EngineSummary };
  summary: { params: Record<never, never>; result: EngineSummary };
  /**
   * Opens a conversation, starts nothing, and sends its state and changes to the channel `conversation ID` from now on. Closes the channel of
   * a deleted one. @param session one that the agent has, and no conversation (see `find`): a new conversation begins with it
   */
  open: { params: { id: string; cwd: string; agentId?: string | undefined; session?: SessionKey | undefined }; result: CommandResult };
  /** Finds the conversation that is at this session, or continued from it. */
  find: { params: SessionKey; result: { id: string | undefined } };
  /** The front end no longer shows it. It goes on if something runs in it. */
  release: { params: { id: string }; result: undefined };
  /** Ends the conversation and its share in the agent gracefully, unless another front end shows it. */
  end: { params: { id: string }; result: undefined };
  /**
   * The user sees these conversations in the front end from now on, and no others of those that it shows. Until it says so, the user sees all
   * of them. What ends out of sight of every front end is unread, until the user sees it.
   */
  see: { params: { ids: readonly string[] }; result: undefined };
  /** A front end that lacks batches asks for a snapshot. */
  resync: { params: { channel: string }; result: undefined };
  execute: { params: { id: string; command: ConversationCommand }; result: CommandResult };
  execute_list: { params: { command: ConversationListCommand }; result: CommandResult };
  /** Everything that is saved of all conversations, without their messages. @returns `unreadable`: why the list may lack some */
  saved: { params: Record<never, never>; result: { conversations: readonly SavedConversation[]; unreadable?: HostErrorData } };
  /** Finds a text in what was said, run and touched in these conversations, in this order. The next search of a front end ends this one. */
  search: { params: { text: string; ids: readonly string[] }; result: readonly ConversationHit[] };
  /**
   * Lists the sessions of an agent that are no conversations; the agent is started for it. Rejects with `unsupported` if the agent has no list,
   * and with whatever prevents its start.
   */
  agent_sessions: { params: AgentSessionsQuery; result: AgentSessionList };
  /** Deletes, renames or forks a session in the agent, which is started for it. Conversations stay as they are. */
  change_agent_session: { params: AgentPlace & { sessionId: string; change: AgentSessionChange }; result: ChangedAgentSession };
  /** @param path any path that leads to the folder */
  remember_folder: { params: { path: string; facts: Partial<FolderFacts> }; result: undefined };
  read_traffic: { params: { process: number } & ReadTraffic; result: readonly TrafficItem[] };
  diagnostics: { params: { process: number }; result: HostDiagnostics };
  /** The last line that the agent of the conversation wrote to stderr since the turn began; empty if there is none. */
  stderr_line: { params: { id: string }; result: string };
  /** All files of a change set of an open conversation. Rejects with `changes_unknown`, as the next ones. */
  changed_files: { params: { id: string; set: string }; result: readonly ChangedFile[] };
  /** One version of a changed file, in Base64; undefined: there was no such file, or it is not kept. @param path as in ChangedFile */
  changed_content: { params: { id: string; set: string; path: string; side: 'before' | 'after' }; result: string | undefined };
  /** Patches for `git apply`, one after the other, in Base64. */
  changes_patch: { params: { id: string; sets: readonly string[] }; result: string };
  /** Takes changes back. @param paths only these files; absent: all that the user did not change, too */
  undo_changes: { params: { id: string; sets: readonly string[]; paths?: readonly string[] }; result: UndoResult };
  /**
   * Finds the turn that wrote a line, in what is recorded of a folder. Rejects with `changes_unknown`.
   * @param path relative to the folder, with `/` @param line 1-based @param text all of the file as it is now, saved or not
   * @returns undefined if no recorded turn wrote it
   */
  line_origin: { params: { cwd: string; path: string; line: number; text: string }; result: LineOrigin | undefined };
  /** Whether a recorded turn changed the file, also if an undo took that back. @param path relative to the folder, with `/` */
  is_changed: { params: { cwd: string; path: string }; result: boolean };
  /** The user saved files. @param paths absolute */
  note_saved: { params: { paths: readonly string[] }; result: undefined };
  /** The front end leaves. @returns whether the engine ends now, and closes the connection when it has */
  leave: { params: Record<never, never>; result: boolean };
  /** Ends the engine in order. Turns that run are stopped. */
  stop_engine: { params: Record<never, never>; result: undefined };
}

/** An agent as it is to be started now, with what the front end sets for it. */
export interface StartableAgent extends AgentChoice {
  readonly clientInfo: AgentHostOptions['clientInfo'];
  readonly deadlines?: AgentHostOptions['deadlines'];
  readonly requestDeadlines?: AgentHostOptions['requestDeadlines'];
  readonly optionDefaults: readonly OptionDefault[];
}

/** What only a front end can do. The engine asks the one that works in the conversation, or another one that shows it. */
export interface FrontEndCalls {
  /** Determines which agent would start. @param agentId absent: the user's choice */
  peek_agent: { params: { cwd: string; agentId?: string | undefined }; result: AgentSummary };
  /** Rejects with `untrusted` if nothing may start in the folder. */
  choose_agent: { params: { cwd: string; agentId?: string | undefined }; result: StartableAgent };
  read_stored_key: { params: { url: string }; result: string | undefined };
  /** The texts of those files that are open with unsaved changes, by their paths. */
  unsaved_texts: { params: { paths: readonly string[] }; result: Readonly<Record<string, string>> };
  /**
   * Changes those files that are open, so that the user can undo it, and saves those without unsaved changes; with `saves`, all of them.
   * @returns which it changed
   */
  edit_texts: { params: { texts: Readonly<Record<string, string>>; saves: boolean }; result: readonly string[] };
  code_navigation: { params: { method: keyof CodeNavigation; args: readonly unknown[] }; result: unknown };
}

/** Told on the channel `notice`. */
export type EngineNotice =
  | { readonly type: 'failed'; readonly error: HostErrorData }
  | { readonly type: 'removed'; readonly removed: RemovedConversations };

/** Told on the channel `log`. */
export interface EngineLogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly text: string;
}

/** Told on the channel `traffic`: a process has more entries than `read_traffic` returned. */
export interface TrafficTold {
  readonly process: number;
}

export const listChannel = 'list';
export const factsChannel = 'facts';
export const noticeChannel = 'notice';
export const logChannel = 'log';
export const trafficChannel = 'traffic';
export const conversationChannel = (id: string): string => `conversation ${id}`;

// What an engine tells is parsed where it arrives, as the calls of a front end are (callSchemas.ts).

const line: z.ZodMiniType<EngineLogLine> = z.object({
  level: z.catch(z.enum(['debug', 'info', 'warn', 'error']), 'info'),
  text: z.string(),
});
const traffic: z.ZodMiniType<TrafficTold> = z.object({ process: z.number() });
const notice = z.discriminatedUnion('type', [
  z.object({ type: z.literal('failed'), error: z.object({ code: z.string(), params: z.record(z.string(), z.unknown()) }) }),
  z.object({
    type: z.literal('removed'),
    removed: z.object({ conversations: z.number(), lastUsedAt: z.number(), totalBytes: z.number() }),
  }),
]);

export const parseLogLine = (message: unknown): EngineLogLine | undefined => line.safeParse(message).data;
export const parseTraffic = (message: unknown): TrafficTold | undefined => traffic.safeParse(message).data;

/** Reads the code of an error that this version does not know as `internal`. */
export function parseNotice(message: unknown): EngineNotice | undefined {
  const { data } = notice.safeParse(message);
  if (data?.type !== 'failed') return data;
  const error = readErrorData(data.error)?.toData();
  return error && { type: 'failed', error };
}
