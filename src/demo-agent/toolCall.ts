/** Tool calls: a card that says what is done, a permission request if one is necessary, the work, and how it really ended. */
import { randomUUID } from 'node:crypto';
import {
  methods,
  type PermissionOption,
  type ToolCall,
  type ToolCallContent,
  type ToolCallLocation,
  type ToolCallUpdate,
  type ToolKind,
} from '@agentclientprotocol/sdk/unstable';
import { CommandError } from './commandError.js';
import type { Topic } from './session.js';
import type { Turn } from './turn.js';

export interface ToolJob<T> {
  readonly title: string;
  readonly kind: ToolKind;
  readonly rawInput: unknown;
  readonly locations?: readonly ToolCallLocation[];
  /** Shown from the start, for example the diff to approve. */
  readonly content?: readonly ToolCallContent[];
  /** Present if the work needs the user's permission. */
  readonly permission?: PermissionWish;
  /** @throws CommandError if the work failed, which the card then shows */
  run(card: ToolCard): Promise<ToolResult<T>>;
}

export interface PermissionWish {
  readonly topic: Topic;
  /** What "always" applies to, for example "all edits". */
  readonly scope: string;
}

export interface ToolCard {
  /** Replaces the content of the card during the work. */
  show(content: readonly ToolCallContent[]): Promise<void>;
}

export interface ToolResult<T> {
  readonly value: T;
  readonly content?: readonly ToolCallContent[];
  readonly locations?: readonly ToolCallLocation[];
  readonly rawOutput?: unknown;
  /** The work was done and resulted in a failure, such as an exit code. */
  readonly failed?: boolean;
}

/**
 * Resolves with the result of the work.
 * @throws CommandError if it was not permitted or failed; and whatever a cancel throws
 */
export async function runTool<T>(turn: Turn, job: ToolJob<T>): Promise<T> {
  const { session } = turn;
  const call: ToolCall = {
    toolCallId: randomUUID(),
    title: job.title,
    kind: job.kind,
    rawInput: job.rawInput,
    status: 'pending',
    content: [...(job.content ?? [])],
    locations: [...(job.locations ?? [])],
  };
  const update = (patch: Omit<ToolCallUpdate, 'toolCallId'>): Promise<void> =>
    session.send({ sessionUpdate: 'tool_call_update', toolCallId: call.toolCallId, ...patch });

  let shown = job.content ?? [];
  const show = (content: readonly ToolCallContent[]): Promise<void> => {
    shown = content;
    return update({ content: [...content] });
  };

  await session.send({ sessionUpdate: 'tool_call', ...call });
  try {
    if (job.permission) await askPermission(turn, call, job.permission);
    turn.signal.throwIfAborted();
    await update({ status: 'in_progress' });
    const result = await job.run({ show });
    await update({ status: result.failed ? 'failed' : 'completed', ...resultPatch(result) });
    return result.value;
  } catch (error) {
    const words = turn.signal.aborted ? 'Stopped: the turn was canceled.' : messageOf(error);
    await update({ status: 'failed', content: [...shown, textContent(words)] });
    throw error;
  }
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function resultPatch({ content, locations, rawOutput }: ToolResult<unknown>): Omit<ToolCallUpdate, 'toolCallId'> {
  return {
    ...(content && { content: [...content] }),
    ...(locations && { locations: [...locations] }),
    ...(rawOutput !== undefined && { rawOutput }),
  };
}

/** @throws CommandError unless it is permitted by the mode, by an earlier "always", or by the user now */
async function askPermission(turn: Turn, call: ToolCall, { topic, scope }: PermissionWish): Promise<void> {
  const { session } = turn;
  if (session.settings.modeId === 'read-only') throw new CommandError('Not done: the mode is read-only.');
  if (session.settings.modeId === 'auto' && topic === 'edit') return;
  const decided = session.decisions.get(topic);
  if (decided === 'allow') return;
  if (decided === 'reject') throw new CommandError(`Not done: you rejected ${scope} in this session.`);

  const response = await session.client.request(
    methods.client.session.requestPermission,
    { sessionId: session.id, toolCall: call, options: permissionOptions(scope) },
    { cancellationSignal: turn.signal, stopWaitingOnCancel: true },
  );
  if (response.outcome.outcome === 'cancelled') throw new CommandError('Not done: the question was closed without an answer.');
  const { optionId } = response.outcome;
  if (optionId === 'allow_always') session.decisions.set(topic, 'allow');
  if (optionId === 'reject_always') session.decisions.set(topic, 'reject');
  // Only the allowing options permit it: an ID that was not offered must not.
  if (optionId !== 'allow_once' && optionId !== 'allow_always') throw new CommandError('Not done: you rejected it.');
}

function permissionOptions(scope: string): PermissionOption[] {
  return [
    { optionId: 'allow_once', name: 'Allow once', kind: 'allow_once' },
    { optionId: 'allow_always', name: `Allow ${scope} in this session`, kind: 'allow_always' },
    { optionId: 'reject_once', name: 'Reject', kind: 'reject_once' },
    { optionId: 'reject_always', name: `Reject ${scope} in this session`, kind: 'reject_always' },
  ];
}
