/** What a host must know of one agent beyond ACP. The only place where an agent's name or version decides anything. */
import type { Implementation } from '@agentclientprotocol/sdk';
import type { HostError } from '../base/errors.js';
import type { ContentBlock, SessionConfigOption, SessionModes, ToolCallContent, ToolKind, ToolStatus } from '../session/model.js';
import { agentaoProfile } from './agentao/agentaoQuirks.js';
import type { AnnouncedRetry } from './agentao/agentaoStderr.js';
import { standardProfile } from './standardQuirks.js';

/** A change that a tool call's input announces. `hunk`: both texts are known; `whole`: the old text is what lies on disk. `path` as the agent wrote it. */
export type AnnouncedEdit =
  | { readonly type: 'hunk'; readonly path: string; readonly oldText: string | null; readonly newText: string }
  | { readonly type: 'whole'; readonly path: string; readonly newText: string };

export interface Profile {
  readonly name: string;
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
  /** A longer run of letters, digits and `_ . / \\ -` in a prompt keeps the agent from doing anything for seconds to minutes. Absent: no such length is known. */
  readonly freezesOnRunsOverChars: number | undefined;
  toolKind(title: string, kind: ToolKind): ToolKind;
  /** Paths that the input names and the agent does not report as locations. */
  pathsOf(rawInput: unknown): readonly string[];
  announcedEdit(title: string, rawInput: unknown): AnnouncedEdit | undefined;
  /** What a status does not mean with this agent, in words for people. */
  caveat(toolKind: ToolKind, status: ToolStatus): string | undefined;
  /** The part of a permission request's content that is for people. */
  permissionContent(content: readonly ToolCallContent[]): readonly ToolCallContent[];
  /** How far the agent's "always" reaches, in words for people. */
  alwaysScope(title: string): string | undefined;
  /** The modes with what a person must know of them. `undefined` in: the agent said nothing of modes when it loaded a session. */
  modes(modes: SessionModes | undefined): SessionModes | undefined;
  /** Adds the models that `session/list_models` tells to an option that holds only the current one. Absent: the agent's options are complete. */
  readonly withModels?: (options: readonly SessionConfigOption[], models: readonly string[]) => readonly SessionConfigOption[];
  promptBlock(block: ContentBlock): ContentBlock;
  /** A line of stderr that says that the agent tries its provider again. Absent: nothing is known of its stderr. */
  readonly retryIn?: (stderrLine: string) => AnnouncedRetry | undefined;
  /** Gives a failed call the code that says what it means with this agent. */
  classifyError(error: HostError): HostError;
}

export function chooseProfile(agentInfo: Implementation | null | undefined): Profile {
  return agentInfo?.name === 'agentao' ? agentaoProfile(agentInfo.version) : standardProfile;
}
