/** What a host must know about an agent beyond ACP. The adapter for ACP asks here and nowhere else what an agent does differently. */
import type { AlwaysScope, FailureHint, ModeHint, RetryReason, ToolCaveat } from '../session/agentHint.js';
import type { ContentBlock, SelectOption, SessionOption, ToolCallContent, ToolKind, ToolStatus } from '../session/model.js';

/** A change that a tool call's input announces. `hunk`: both texts are known; `whole`: the old text is what lies on disk. `path` as the agent wrote it. */
export type AnnouncedEdit =
  | { readonly type: 'hunk'; readonly path: string; readonly oldText: string | null; readonly newText: string }
  | { readonly type: 'whole'; readonly path: string; readonly newText: string };

/** The agent tries its provider again. */
export interface AnnouncedRetry {
  /** Holds nothing of the line but a status, a number and a class name. */
  readonly reason: RetryReason;
  readonly delayMs: number;
}

/** A failed call in the agent's own words. */
export interface CallFailure {
  /** JSON-RPC error code. */
  readonly code: number;
  readonly message: string;
  /** Member `reason` of the error's data. */
  readonly reason: string | undefined;
}

export interface AcpQuirks {
  /** Each update of a tool call carries only new text. Otherwise `content` is the whole collection, as in ACP. */
  readonly toolContentAppends: boolean;
  /** Text that accompanies tool calls comes again, whole, as a thought. */
  readonly repeatsTextAsThought: boolean;
  /** A second `tool_call` with a known id is another call, also while the first one is open. Otherwise it is the same one, told again. */
  readonly reusesToolCallIds: boolean;
  /** A permission request's tool call has an id of its own and comes before the `tool_call` that it is about. */
  readonly asksBeforeToolCall: boolean;
  /** A permission request's tool call adds to its card; otherwise the card alone is right. */
  readonly requestsDescribeToolCalls: boolean;
  /** Paths in tool calls may be relative to the session's folder. */
  readonly relativePaths: boolean;
  toolKind(title: string, kind: ToolKind): ToolKind;
  /** Paths that the input names and the agent does not report as locations. */
  pathsOf(rawInput: unknown): readonly string[];
  announcedEdit(title: string, rawInput: unknown): AnnouncedEdit | undefined;
  /** What a status does not mean with this agent. */
  caveat(toolKind: ToolKind, status: ToolStatus): ToolCaveat | undefined;
  /** The part of a permission request's content that is for people. */
  permissionContent(content: readonly ToolCallContent[]): readonly ToolCallContent[];
  /** How far the agent's "always" reaches. */
  alwaysScope(title: string): AlwaysScope | undefined;
  /** What a person must know of a mode, by its id; added to the agent's own description. */
  readonly modeHints: Readonly<Record<string, ModeHint>>;
  /** The mode of every session in which the agent says nothing of its modes when it loads it. */
  readonly assumedMode?: Pick<SelectOption, 'currentValue' | 'choices'>;
  /** Its own method that tells the names of models which its options leave out. Absent: the options are complete. */
  readonly listModelsMethod?: string;
  /** Adds these models to an option that holds only the current one. */
  readonly withModels?: (options: readonly SessionOption[], models: readonly string[]) => readonly SessionOption[];
  promptBlock(block: ContentBlock): ContentBlock;
  /** A line of stderr that says that the agent tries its provider again. Absent: nothing is known of its stderr. */
  readonly retryIn?: (stderrLine: string) => AnnouncedRetry | undefined;
  /** What helps, by the reason that the agent gives. Where this knows nothing, that of the standard quirks is asked. */
  failureHint?(reason: string): FailureHint | undefined;
  /** What a failed call means with this agent. Undefined: what it says. */
  classifyError(failure: CallFailure): { readonly code: 'provider_failed' | 'auth_required'; readonly detail: string } | undefined;
}
