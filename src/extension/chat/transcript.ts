/** Finds what the ids of a page stand for. */
import { exitText } from '../../text/hintText.js';
import {
  type ContentBlock,
  type ConversationState,
  requestTitle,
  type SessionKey,
  type ToolItem,
  type TranscriptItem,
  type UserRequest,
} from '../../core/index.js';
import { itemsOfTurn, viewIdOf } from './itemView.js';
import { outputText } from '../../text/workText.js';
import type { ChatView, PromptView } from '../../contract/view.js';
import type { DiffView } from '../../contract/viewParts.js';

export function findItem(state: ConversationState, viewId: string): TranscriptItem | undefined {
  const sessions = state.session === undefined ? state.earlierSessions : [...state.earlierSessions, state.session];
  for (const session of sessions) {
    const item = session.items.find(({ id }) => viewIdOf(session, id) === viewId);
    if (item !== undefined) return item;
  }
  return undefined;
}

/** Returns the session that a notice of the page refers to. */
export function findMadeSession(state: ConversationState, viewId: string): SessionKey | undefined {
  const item = findItem(state, viewId);
  return item?.kind === 'notice' && 'code' in item && item.code === 'session_made' && state.agent !== undefined
    ? { agentId: state.agent.id, sessionId: item.params.sessionId }
    : undefined;
}

/** Returns the turn that a line of the page ends. */
export function findEndedTurn(state: ConversationState, viewId: string): string | undefined {
  const item = findItem(state, viewId);
  return item?.kind === 'turn_end' ? item.turnId : undefined;
}

/** Returns the user's messages of a turn. */
export function promptOf({ session, earlierSessions }: ConversationState, turnId: string): readonly ContentBlock[] {
  return [...earlierSessions, ...(session === undefined ? [] : [session])].flatMap(({ items }) =>
    itemsOfTurn(items, turnId).flatMap((item) => (item.kind === 'message' && item.role === 'user' ? item.content : [])),
  );
}

/** Returns the id on the page of the first item of a turn; undefined if the turn is not saved any more. */
export function findStartOfTurn(state: ConversationState, turnId: string): string | undefined {
  const sessions = state.session === undefined ? state.earlierSessions : [...state.earlierSessions, state.session];
  for (const session of sessions) {
    const [first] = itemsOfTurn(session.items, turnId);
    if (first !== undefined) return viewIdOf(session, first.id);
  }
  return undefined;
}

/** Returns what the command of a tool call has printed; `end` is how it ended. */
export function commandOutput(item: TranscriptItem | undefined): { readonly text: string; readonly end?: string } | undefined {
  if (item?.kind !== 'tool') return undefined;
  const terminals = item.content.filter((part) => part.type === 'terminal');
  const text = terminals.map(({ output = '' }) => output).join('');
  const runs = terminals.some((part) => part.runs === true) || (item.endedAt === undefined && item.exit === undefined);
  return runs
    ? { text }
    : { text, end: `The command has ended${item.exit === undefined ? '' : `: ${exitText(item.exit) ?? 'exit code 0'}`}` };
}

/** `id` belongs to a tool item or a prompt. */
export function findDiff(view: ChatView, id: string, index: number): DiffView | undefined {
  const item = view.items.find((one) => one.id === id);
  if (item?.kind === 'tool') return item.diffs[index];
  return diffsOfPrompt(view.prompts.find((one) => one.id === id))[index];
}

export function diffsOfPrompt(prompt: PromptView | undefined): readonly DiffView[] {
  return prompt?.kind === 'permission' ? prompt.parts.flatMap((part) => (part.type === 'diff' ? [part.diff] : [])) : [];
}

interface TextDocument {
  readonly name: string;
  readonly text: string;
}

/** Returns a plan, or the whole input or output of a tool call, as a document. */
export function rawDocument(item: TranscriptItem, part: 'input' | 'output'): TextDocument | undefined {
  if (item.kind === 'plan') return { name: 'plan.md', text: item.text.markdown };
  return item.kind === 'tool' ? documentOfTool(item, part) : undefined;
}

function documentOfTool(tool: ToolItem, part: 'input' | 'output'): TextDocument {
  const content = outputText(tool.content);
  if (part === 'output' && content !== '') return { name: `${tool.toolCallId}.output.txt`, text: content };
  return jsonDocument(`${tool.toolCallId}.${part}`, part === 'input' ? tool.rawInput : tool.rawOutput);
}

export function rawInputOfRequest(request: UserRequest): { readonly name: string; readonly text: string } {
  return request.kind === 'permission'
    ? jsonDocument(`${request.subject.toolCallId}.input`, request.subject.rawInput)
    : { name: `${request.id}.txt`, text: requestTitle(request) };
}

function jsonDocument(name: string, value: unknown): { readonly name: string; readonly text: string } {
  return typeof value === 'string'
    ? { name: `${name}.txt`, text: value }
    : { name: `${name}.json`, text: JSON.stringify(value ?? null, null, 2) };
}
