/** Returns what users read in a conversation, for assertions. */
import type { ContentBlock, Session, SessionState, ToolItem, TranscriptItem, TurnOutcome } from '../../src/core/index.js';

export const prompt = (text: string): readonly ContentBlock[] => [{ type: 'text', text }];

/** Sends a prompt for a scenario of the mock model. */
export const say = (session: Session, scenario: string): Promise<TurnOutcome> => session.prompt(prompt(`SC:${scenario}`));

/** The items of the last turn, including the user's prompt. */
export function lastTurn(state: SessionState): readonly TranscriptItem[] {
  return state.items.slice(state.items.findLastIndex((item) => item.kind === 'message' && item.role === 'user'));
}

/** The texts of all messages with one role, one string per message. */
export function messages(items: readonly TranscriptItem[], role: 'user' | 'agent' | 'thought'): readonly string[] {
  return items.flatMap((item) => (item.kind === 'message' && item.role === role ? [textOf(item.content)] : []));
}

export const agentText = (state: SessionState): string => messages(lastTurn(state), 'agent').join('');

export const tools = (state: SessionState): readonly ToolItem[] => lastTurn(state).filter((item) => item.kind === 'tool');

export function onlyTool(state: SessionState): ToolItem {
  const [tool, ...others] = tools(state);
  if (tool === undefined || others.length > 0) throw new Error(`Expected one tool card, found ${JSON.stringify([tool, ...others])}`);
  return tool;
}

/** The text of a tool card, without its diffs. */
export const toolText = (tool: ToolItem): string =>
  textOf(tool.content.flatMap((piece) => (piece.type === 'content' ? [piece.content] : [])));

export function diffsOf(content: ToolItem['content']): readonly { path: string; oldText: string | undefined; newText: string }[] {
  return content.flatMap((piece) =>
    piece.type === 'diff' ? [{ path: piece.path, oldText: piece.oldText ?? undefined, newText: piece.newText }] : [],
  );
}

function textOf(blocks: readonly ContentBlock[]): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('');
}
