/** What a command line requests, and the values that its options accept. */
import { type CodeTaskKind, HostError, type OptionWish, type TextRange } from '../../core/index.js';

/** In the order of the help. */
export const commandNames = [
  'run',
  'chat',
  'attach',
  'status',
  'stop',
  'changes',
  'undo',
  'sessions',
  'show',
  'agents',
  'install',
  'update',
  'remove',
  'doctor',
  'login',
  'serve',
  'engine',
  'replay',
] as const;
export type CommandName = (typeof commandNames)[number];

/** Returns the command of this command line, even if the rest of it is invalid. */
export function commandIn([word]: readonly string[]): CommandName | undefined {
  return commandNames.find((name) => name === word);
}

export const formats = ['text', 'json'] as const;
type Format = (typeof formats)[number];

export const showFormats = [...formats, 'md'] as const;

export const changesFormats = [...formats, 'patch'] as const;

export const permissionPolicies = ['ask', 'allow', 'reject'] as const;
export type PermissionPolicy = (typeof permissionPolicies)[number];

/** How a conversation continues in a new session: with its history or without it. */
export const recoveryChoices = ['context', 'fresh'] as const;
export type RecoveryChoice = (typeof recoveryChoices)[number];

/** What `run` and `chat` share: the agent, the session and who answers the agent. */
export interface ConversationRequest {
  /** The default agent, or the agent of the resumed session, if undefined. */
  readonly agent: AgentChoice | undefined;
  /** As given, relative to the current folder; the current folder if undefined. */
  readonly cwd: string | undefined;
  readonly permission: PermissionPolicy;
  /** The answer to every question. */
  readonly answer: string | undefined;
  /** How long a permission request or a question stays open; 0 for no limit. */
  readonly askTimeoutMs: number;
  /** How long the agent may take to respond to its start; 0: as long as it likes. Undefined: the default of the core. */
  readonly startTimeoutMs: number | undefined;
  /** A file with the MCP servers for the agent; as given, relative to the current folder. */
  readonly mcpConfig: string | undefined;
  /** In which the agent may work besides `cwd`; as given, relative to the current folder. */
  readonly otherFolders: readonly string[];
  /** Instructions for the agent, in addition to its own. */
  readonly systemPrompt: string | undefined;
  readonly session: SessionChoice;
  /** What to do if the agent can't resume the session; if it is undefined, `chat` asks and `run` fails. */
  readonly recover: RecoveryChoice | undefined;
  /** Options to set in the session before its first prompt, in this order. */
  readonly options: readonly OptionWish[];
  readonly format: Format;
  /** Overrides the folder for saved sessions. */
  readonly state: string | undefined;
}

export interface RunRequest extends ConversationRequest {
  readonly type: 'run';
  /** A text, where `-` stands for stdin, or a task on a part of a file. */
  readonly prompt: string | TaskRequest;
  /** Sends the prompt again, once, if its turn was interrupted. */
  readonly resend: boolean;
  /** Ends when the prompt is on its way. */
  readonly detach: boolean;
}

/** A task of an agent that offers it, for example as a command. */
export interface TaskRequest {
  readonly kind: CodeTaskKind;
  /** As given, relative to the current folder. */
  readonly file: string;
  readonly range: TextRange;
}

export interface ChatRequest extends ConversationRequest {
  readonly type: 'chat';
}

export interface AttachRequest {
  readonly type: 'attach';
  /** As in `ShowRequest`; if undefined, the only conversation in which something runs or waits. */
  readonly id: string | undefined;
  /** The conversation that was used last. */
  readonly last: boolean;
  readonly permission: PermissionPolicy;
  readonly answer: string | undefined;
  readonly format: Format;
  readonly state: string | undefined;
}

export interface StatusRequest {
  readonly type: 'status';
  readonly format: Format;
  /** Goes on when something changes. */
  readonly watch: boolean;
  /** One short line for a prompt of a shell. */
  readonly prompt: boolean;
  readonly state: string | undefined;
}

export interface StopRequest {
  readonly type: 'stop';
  /** As in `ShowRequest`; undefined: every conversation. */
  readonly id: string | undefined;
  readonly state: string | undefined;
}

/** A conversation whose turns changed files. */
export interface ChangedRequest {
  /** As in `ShowRequest`; if undefined, the one of the current folder that was used last. */
  readonly id: string | undefined;
  /** The conversation that was used last, in any folder. */
  readonly last: boolean;
  /** 1-based. */
  readonly turn: number | undefined;
  readonly state: string | undefined;
}

export interface ChangesRequest extends ChangedRequest {
  readonly type: 'changes';
  readonly format: (typeof changesFormats)[number];
}

export interface UndoRequest extends ChangedRequest {
  readonly type: 'undo';
  /** Every turn. */
  readonly all: boolean;
  /** Only these files; absolute, or relative to the folder of the conversation. */
  readonly files: readonly string[];
  /** Does not ask. */
  readonly yes: boolean;
  readonly format: Format;
}

export interface EngineRequest {
  readonly type: 'engine';
  readonly action: 'show' | 'stop';
  readonly format: Format;
  readonly state: string | undefined;
}

export type AgentChoice =
  | { readonly type: 'named'; readonly id: string }
  | { readonly type: 'command'; readonly protocol: string; readonly argv: readonly string[] }
  | {
      readonly type: 'server';
      readonly protocol: string;
      readonly url: string;
      /** The name of the variable with its key. */
      readonly keyVariable?: string;
      readonly pin?: string;
    };

type SessionChoice =
  | { readonly type: 'new' }
  | { readonly type: 'id'; readonly id: string }
  /** The newest session of this folder. */
  | { readonly type: 'continue' };

/** The sessions of an agent. */
export interface AgentSessionsChoice {
  readonly agent: AgentChoice;
  readonly cwd: string | undefined;
  /** Those of every folder. */
  readonly all: boolean;
  /** The ID of the one to delete, or the beginning of it if the user is asked. */
  readonly deleted: string | undefined;
  /** Does not ask. */
  readonly yes: boolean;
}

export interface SessionsRequest {
  readonly type: 'sessions';
  /** Also the sessions that this agent has, and that did not begin here. */
  readonly ofAgent: AgentSessionsChoice | undefined;
  readonly format: Format;
  readonly state: string | undefined;
}

export interface ShowRequest {
  readonly type: 'show';
  /** The ID of a conversation or of a session, or the beginning of one. */
  readonly id: string;
  readonly format: (typeof showFormats)[number];
  readonly state: string | undefined;
}

export interface AgentsRequest {
  readonly type: 'agents';
  readonly format: Format;
  /** Fetches the registry first. */
  readonly refresh: boolean;
}

/** `update`: only an agent that ACP Host installed. */
export interface InstallRequest {
  readonly type: 'install' | 'update';
  /** The id of an agent, or of an entry in the registry. */
  readonly name: string;
  /** Does not ask. */
  readonly yes: boolean;
}

export interface RemoveRequest {
  readonly type: 'remove';
  readonly name: string;
}

export interface DoctorRequest {
  readonly type: 'doctor';
  readonly agent: AgentChoice | undefined;
  readonly cwd: string | undefined;
  /** Opens a session too. */
  readonly opensSession: boolean;
  readonly format: Format;
  readonly state: string | undefined;
}

export interface LoginRequest {
  readonly type: 'login';
  readonly agent: AgentChoice | undefined;
  /** The id or the name of a way to sign in. If it is undefined, the only one is used, or the user is asked. */
  readonly method: string | undefined;
  /** Signs out instead. */
  readonly signsOut?: boolean;
  readonly cwd: string | undefined;
}

export interface ServeRequest {
  readonly type: 'serve';
  readonly agent: AgentChoice | undefined;
  /** The folder in which the agent starts. */
  readonly cwd: string | undefined;
  /** The id of a way to sign in, which is then done instead of serving. */
  readonly signIn: string | undefined;
}

export interface ReplayRequest {
  readonly type: 'replay';
  readonly file: string;
  /** 1-based; the process with the most messages if undefined. */
  readonly process: number | undefined;
}

export type Request =
  | RunRequest
  | ChatRequest
  | AttachRequest
  | StatusRequest
  | StopRequest
  | ChangesRequest
  | UndoRequest
  | EngineRequest
  | SessionsRequest
  | ShowRequest
  | AgentsRequest
  | InstallRequest
  | RemoveRequest
  | DoctorRequest
  | LoginRequest
  | ServeRequest
  | ReplayRequest
  /** Without a command: the overview. */
  | { readonly type: 'help'; readonly command?: CommandName }
  | { readonly type: 'version' };

/**
 * Creates the error for an invalid command line.
 * @param message for users, without a period at the end
 */
export function usageError(message: string, options: { readonly cause?: unknown } = {}): HostError {
  return new HostError('usage', { detail: message }, options);
}
