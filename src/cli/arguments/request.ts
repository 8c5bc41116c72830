/** What a command line asks for, and the values that its options take. */

export const formats = ['text', 'json'] as const;
export type Format = (typeof formats)[number];

export const showFormats = [...formats, 'md'] as const;

export const permissionPolicies = ['ask', 'allow', 'reject'] as const;
export type PermissionPolicy = (typeof permissionPolicies)[number];

/** How a conversation continues in a new session: with its history or without. */
export const recoveryChoices = ['context', 'fresh'] as const;
export type RecoveryChoice = (typeof recoveryChoices)[number];

/** With which agent, in which session, and who answers it. */
export interface ConversationRequest {
  /** Absent: the default, or the agent of the session that is continued. */
  readonly agent: AgentChoice | undefined;
  /** As given, relative to the process's own folder; absent: that folder. */
  readonly cwd: string | undefined;
  readonly permission: PermissionPolicy;
  /** What every question is answered with. */
  readonly answer: string | undefined;
  /** How long a permission or a question waits for an answer; 0: until there is one. */
  readonly askTimeoutMs: number;
  readonly session: SessionChoice;
  /** How to go on from a session that the agent does not take up; absent: somebody is asked, or it is an error. */
  readonly recover: RecoveryChoice | undefined;
  readonly mode: string | undefined;
  readonly model: string | undefined;
  readonly format: Format;
  /** The folder that is used in the place of the platform's own. */
  readonly state: string | undefined;
}

export interface RunRequest extends ConversationRequest {
  readonly type: 'run';
  /** `-` is stdin. */
  readonly prompt: string;
  /** A prompt whose turn was cut is sent once more. */
  readonly resend: boolean;
}

export interface ChatRequest extends ConversationRequest {
  readonly type: 'chat';
}

export type AgentChoice = { readonly type: 'named'; readonly id: string } | { readonly type: 'command'; readonly argv: readonly string[] };

export type SessionChoice =
  | { readonly type: 'new' }
  | { readonly type: 'id'; readonly id: string }
  /** The newest session of this folder. */
  | { readonly type: 'continue' };

export interface SessionsRequest {
  readonly type: 'sessions';
  readonly format: Format;
  readonly state: string | undefined;
}

export interface ShowRequest {
  readonly type: 'show';
  /** Or its beginning. */
  readonly id: string;
  readonly format: (typeof showFormats)[number];
  readonly state: string | undefined;
}

export interface DoctorRequest {
  readonly type: 'doctor';
  readonly agent: AgentChoice | undefined;
  readonly format: Format;
  readonly state: string | undefined;
}

export interface ReplayRequest {
  readonly type: 'replay';
  readonly file: string;
  /** 1-based; absent: the one that said most. */
  readonly process: number | undefined;
}

export type Request =
  | RunRequest
  | ChatRequest
  | SessionsRequest
  | ShowRequest
  | DoctorRequest
  | ReplayRequest
  | { readonly type: 'agents'; readonly format: Format }
  | { readonly type: 'help' }
  | { readonly type: 'version' };
