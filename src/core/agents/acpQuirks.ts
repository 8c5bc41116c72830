/** What a host must know about an agent beyond ACP. The ACP adapter gets all differences between agents from here. */
import type { AlwaysScope, FailureHint, ModeHint, RetryReason, ToolCaveat } from '../session/agentHint.js';
import type { ContentBlock, SelectOption, SessionOption, ToolCallContent, ToolKind, ToolStatus } from '../session/model.js';

/**
 * A change that the input of a tool call announces. `hunk`: both texts are known; `whole`: the old text is the content of the file. `path`
 * is as the agent wrote it.
 */
export type AnnouncedEdit =
  | { readonly type: 'hunk'; readonly path: string; readonly oldText: string | null; readonly newText: string }
  | { readonly type: 'whole'; readonly path: string; readonly newText: string };

/** The agent will try its provider again. */
export interface AnnouncedRetry {
  /** Contains no text of the line except a status, a number and the name of a class. */
  readonly reason: RetryReason;
  readonly delayMs: number;
}

/** A failed call in the agent's own words. */
export interface CallFailure {
  /** JSON-RPC error code. */
  readonly code: number;
  readonly message: string;
  /** The member `reason` of the error's data. */
  readonly reason: string | undefined;
}

export interface AcpQuirks {
  /** Each update of a tool call contains only new content. Otherwise `content` is the whole collection, as in ACP. */
  readonly toolContentAppends: boolean;
  /** Text that accompanies tool calls is repeated as a thought. */
  readonly repeatsTextAsThought: boolean;
  /** A second `tool_call` with a known id is another call, even while the first one is open. Otherwise it repeats the same call. */
  readonly reusesToolCallIds: boolean;
  /** The tool call of a permission request has its own id, and the request arrives before the `tool_call` that it is about. */
  readonly asksBeforeToolCall: boolean;
  /** The tool call of a permission request has details for the one in the transcript; otherwise only the latter is correct. */
  readonly requestsDescribeToolCalls: boolean;
  /** Paths in tool calls may be relative to the session's folder. */
  readonly relativePaths: boolean;
  /** A fork of a session may name the message after which it begins. Other agents would ignore that, and fork at the end. */
  readonly forksAtMessage: boolean;
  /** In a turn, it asks the host for prompts that are to reach it. */
  readonly asksForSteers?: boolean;
  toolKind(title: string, kind: ToolKind): ToolKind;
  /** Returns paths that the input names and the agent does not report as locations. */
  pathsOf(rawInput: unknown): readonly string[];
  announcedEdit(title: string, rawInput: unknown): AnnouncedEdit | undefined;
  /** Returns what a status does not guarantee with this agent. */
  caveat(toolKind: ToolKind, status: ToolStatus): ToolCaveat | undefined;
  /** Returns the part of a permission request's content that is for users. */
  permissionContent(content: readonly ToolCallContent[]): readonly ToolCallContent[];
  /** Returns the scope of the agent's "always allow". */
  alwaysScope(title: string): AlwaysScope | undefined;
  /** What users must know about a mode, by its id, in addition to the agent's own description. */
  readonly modeHints: Readonly<Record<string, ModeHint>>;
  /** The mode of every session for which the agent does not report its modes when it loads the session. */
  readonly assumedMode?: Pick<SelectOption, 'currentValue' | 'choices'>;
  /** The agent's own method that returns names of models that its options leave out. If it is absent, the options are complete. */
  readonly listModelsMethod?: string;
  /** Adds these models to an option that contains only the current one. */
  readonly withModels?: (options: readonly SessionOption[], models: readonly string[]) => readonly SessionOption[];
  /** A cancel that overtakes its prompt is lost, so it is repeated while the turn continues. Other agents take a second one for the next turn. */
  readonly cancelAgainAfterMs?: readonly number[];
  promptBlock(block: ContentBlock): ContentBlock;
  /** It can't tell a missing file from a failure when it reads through the host, so it gets an empty text. Otherwise, that is an error. */
  readonly readsMissingAsEmpty?: boolean;
  /** Recognizes a line of stderr that announces another call of the provider. */
  retryIn(stderrLine: string): AnnouncedRetry | undefined;
  /** Returns how to solve a failure with the agent's reason. If it returns undefined, the hint of the standard quirks applies. */
  failureHint?(reason: string): FailureHint | undefined;
  /** Returns what a failed call means with this agent; undefined means what it says. */
  classifyError(failure: CallFailure): { readonly code: 'provider_failed' | 'auth_required'; readonly detail: string } | undefined;
}
