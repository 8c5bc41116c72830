import type { AgentFinding, AgentFindings, FindingState } from '../agents/agentKnowledge.js';
import type { HostErrorData } from '../base/errors.js';
import type { EngineSummary } from '../engine/contract.js';

/** What diagnostics check, in this order. */
export const checks = [
  'agent',
  'path',
  'tools',
  'provider',
  'shell',
  'trust',
  'storage',
  'engine',
  'handshake',
  'capabilities',
  'session',
] as const;
/** The name of one check. */
export type Check = (typeof checks)[number];

/** `agent` is the label; `command` is that of the definition. */
interface AgentCommand {
  readonly agent: string;
  readonly command: string;
}

/** A tool with which agents are installed. `path` is absent if the tool was not found. */
export interface ToolFacts {
  readonly name: string;
  readonly path?: string;
  /** What the tool prints as its version; may be empty. */
  readonly version?: string;
  /** Why it could not be started. */
  readonly error?: HostErrorData;
}

/** The host's own findings, by code. They contain no secrets. */
interface HostFindings {
  readonly agent_found: AgentCommand & { readonly commandLine: string };
  /** The command is a script that only a shell can start. */
  readonly agent_needs_shell: AgentCommand & { readonly path: string };
  /** The command is not on the PATH of the host, but on that of a terminal. */
  readonly agent_in_terminal_only: AgentCommand & { readonly path: string };
  readonly agent_is_server: { readonly agent: string; readonly url: string; readonly protocol: string };
  readonly agent_missing: AgentCommand & { readonly installCommand?: string };
  readonly shell_silent: { readonly shell: string };
  readonly shell_quiet: { readonly shell: string };
  readonly shell_noisy: { readonly shell: string; readonly output: string };
  readonly path_complete: Readonly<Record<never, never>>;
  readonly path_incomplete: { readonly missing: readonly string[] };
  readonly tools: { readonly tools: readonly ToolFacts[] };
  readonly storage_writable: { readonly path: string };
  readonly storage_not_writable: { readonly path: string; readonly error: HostErrorData };
  readonly engine_running: EngineSummary;
  readonly engine_not_running: Readonly<Record<never, never>>;
  readonly engine_unreachable: { readonly error: HostErrorData };
  readonly workspace_trusted: Readonly<Record<never, never>>;
  readonly workspace_untrusted: Readonly<Record<never, never>>;
  readonly handshake_answered: Answered;
  readonly handshake_slow: Answered;
  /** Lines on stdout that are not messages. */
  readonly handshake_noise: { readonly agent: string; readonly lines: readonly string[] };
  readonly handshake_failed: {
    readonly agent: string;
    readonly error: HostErrorData;
    readonly lines: readonly string[];
    readonly stderrTail: string;
    /** An example of a command that starts an agent; absent for a server. */
    readonly exampleCommand?: string;
  };
  readonly session_opened: { readonly agent: string; readonly tookMs: number };
  readonly session_needs_sign_in: SessionFailure;
  readonly session_failed: SessionFailure;
  /** The agent can be started, but a conversation can't continue. */
  readonly conversation_blocked: { readonly agent: string; readonly error: HostErrorData; readonly stderrTail: string };
  readonly capabilities: {
    readonly protocolVersion: number;
    readonly load: boolean;
    readonly resume: boolean;
    readonly image: boolean;
    readonly audio: boolean;
    readonly resource: boolean;
    readonly mcpHttp: boolean;
    readonly mcpSse: boolean;
    /** The names and ids of the ways to sign in. */
    readonly signIn: readonly string[];
  };
}

interface SessionFailure {
  readonly agent: string;
  readonly error: HostErrorData;
  readonly stderrTail: string;
  /** The names and ids of the ways to sign in. */
  readonly signIn: readonly string[];
}

interface Answered {
  readonly agent: string;
  /** The name that it reports. */
  readonly name: string;
  readonly version?: string;
  readonly tookMs: number;
}

/** The params of every finding, by its code. */
export type Findings = HostFindings & AgentFindings;
/** The code of a finding; `text` has its sentence. */
export type FindingCode = keyof Findings;

type HostFinding = {
  readonly [C in keyof HostFindings]: { readonly state: FindingState; readonly code: C; readonly params: HostFindings[C] };
}[keyof HostFindings];

/** The result of one check. `src/text` has the sentence for each code. */
export type Finding = { readonly check: Check } & (HostFinding | AgentFinding);
