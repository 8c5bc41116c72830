/** The other end of a conversation that others have too: a program with JSON lines, or a user who only answers. */
import { type ConversationListEntry, createFileAccess } from '../../core/index.js';
import type { AttachRequest } from '../arguments/request.js';
import { type Answerer } from '../input/answering.js';
import { askInTerminal } from '../input/terminalPrompt.js';
import { paintFor } from '../output/paint.js';
import { Screen } from '../output/screen.js';
import { createTextOutput } from '../output/textOutput.js';
import type { AgentName } from '../system/agents.js';
import { type Io, isColored, isInteractive } from '../system/io.js';
import { isActive } from '../system/openConversations.js';
import { type ChatFrontEnd, jsonFrontEnd } from './chatFrontEnd.js';

interface AttachParts {
  readonly io: Io;
  /** Whether the agent works on another machine. */
  readonly isOnServer: () => boolean;
  /** Called when the terminal is gone, or when the user pressed Ctrl+D. */
  readonly onEnd: () => void;
}

export function createAttachFrontEnd(
  { format, permission }: AttachRequest,
  entry: ConversationListEntry,
  { io, isOnServer, onEnd }: AttachParts,
): ChatFrontEnd {
  const { cwd } = entry;
  const { id, label } = entry.agent ?? { id: '', label: 'The agent' };
  if (format === 'json') return jsonFrontEnd({ id, label }, io, true);
  const agent: AgentName = { label };
  const screen = new Screen(io);
  const output = createTextOutput({ io, screen, cwd, agent, asks: permission === 'ask', isJoined: true });
  const paint = paintFor(isColored(io.stderr, io.env));
  const access = createFileAccess(cwd);
  const files = { peekNow: (path: string) => (isOnServer() ? undefined : access.peekNow(path)) };
  const columns = (): number => io.stderr.columns;
  if (isInteractive(io) && isActive(entry)) output.note('Press Ctrl+C to stop the turn, Ctrl+\\ to leave it running');
  const answerer = isInteractive(io)
    ? askInTerminal({ io, screen, cwd, files, agent, paint, columns, onEnd })
    : elsewhere(() => output.note(`${agent.label} needs your input. Answer in the editor, or with \`acp-host attach\` in a terminal`));
  return { isTerminal: true, agent, output, answerer, listen: () => {}, show: () => {} };
}

/** Nobody can be asked here, so the request stays open for others. */
function elsewhere(onAsked: () => void): Answerer {
  return { ask: onAsked, closed: () => {}, dispose: () => {} };
}
