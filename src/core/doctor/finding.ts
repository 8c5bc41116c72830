import type { AgentFinding, AgentFindings, FindingState } from '../agents/agentKnowledge.js';
import type { HostErrorData } from '../base/errors.js';

/** What a doctor looks at, in the order in which it looks. */
export const checks = ['agent', 'path', 'tools', 'provider', 'shell', 'trust', 'storage', 'handshake', 'capabilities', 'session'] as const;
export type Check = (typeof checks)[number];

/** `agent`: its label; `command`: as its definition has it. */
interface AgentCommand {
  readonly agent: string;
  readonly command: string;
}

/** A tool that agents are installed with. `path` absent: it was not found. */
export interface ToolFacts {
  readonly name: string;
  readonly path?: string;
  /** As it says it; empty where it says none. */
  readonly version?: string;
  /** Why it could not be started, in the words of the operating system. */
  readonly error?: string;
}

/** What the host finds by itself, by its code. Holds no secret. */
interface HostFindings {
  readonly agent_found: AgentCommand & { readonly commandLine: string };
  /** A script that only a shell can start. */
  readonly agent_needs_shell: AgentCommand & { readonly path: string };
  /** Not on the PATH, though on that of a terminal. */
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
  readonly storage_not_writable: { readonly path: string; readonly error: string };
  readonly workspace_trusted: Readonly<Record<never, never>>;
  readonly workspace_untrusted: Readonly<Record<never, never>>;
  readonly handshake_answered: Answered;
  readonly handshake_slow: Answered;
  /** Lines on stdout that are no messages. */
  readonly handshake_noise: { readonly agent: string; readonly lines: readonly string[] };
  readonly handshake_failed: {
    readonly agent: string;
    readonly error: HostErrorData;
    readonly lines: readonly string[];
    readonly stderrTail: string;
    /** How a command that starts an agent looks; absent for a server. */
    readonly exampleCommand?: string;
  };
  readonly session_opened: { readonly agent: string; readonly tookMs: number };
  readonly session_needs_sign_in: SessionFailure;
  readonly session_failed: SessionFailure;
  readonly capabilities: {
    readonly protocolVersion: number;
    readonly load: boolean;
    readonly resume: boolean;
    readonly image: boolean;
    readonly audio: boolean;
    readonly resource: boolean;
    readonly mcpHttp: boolean;
    readonly mcpSse: boolean;
    /** Names of the ways to sign in, with their ids. */
    readonly signIn: readonly string[];
  };
}

interface SessionFailure {
  readonly agent: string;
  readonly error: HostErrorData;
  readonly stderrTail: string;
  /** Ways to sign in, with their ids. */
  readonly signIn: readonly string[];
}

interface Answered {
  readonly agent: string;
  /** As it names itself. */
  readonly name: string;
  readonly version?: string;
  readonly tookMs: number;
}

export type Findings = HostFindings & AgentFindings;
export type FindingCode = keyof Findings;

type HostFinding = {
  readonly [C in keyof HostFindings]: { readonly state: FindingState; readonly code: C; readonly params: HostFindings[C] };
}[keyof HostFindings];

/** One thing that was looked at. `src/text` has the words for each code. */
export type Finding = { readonly check: Check } & (HostFinding | AgentFinding);
