/** The other end of a chat: a program with JSON lines, or a user with a line editor. */
import { type AgentName, agentName } from '../system/agents.js';
import type { Answerer } from '../input/answering.js';
import type { ChatCommands, ChatFrontEnd } from './frontEnd.js';
import { type AgentDefinition, type ConversationListEntry, createFileAccess } from '../../core/index.js';
import { type Io, isInteractive } from '../system/io.js';
import { answersByLine, type ChatLine, chatLine, readJsonLines } from '../input/jsonInput.js';
import { createJsonOutput } from '../output/jsonOutput.js';
import { isActive } from '../system/conversations.js';
import type { RequestOf } from '../arguments/parseArguments.js';
import { Screen } from '../output/screen.js';
import { terminalFrontEnd } from './terminalChat.js';
import { askInTerminal } from '../input/terminalPrompt.js';
import { createTextOutput } from '../output/textOutput.js';

export function createChatFrontEnd(request: RequestOf<'chat'>, agent: AgentDefinition, cwd: string, io: Io): ChatFrontEnd {
  return request.format === 'json' ? jsonFrontEnd(agent, io) : terminalFrontEnd(request, agent, cwd, io);
}

/** @param isJoined others may answer too, so the end of the input answers nothing */
function jsonFrontEnd({ id, label }: Pick<AgentDefinition, 'id' | 'label'>, io: Io, isJoined = false): ChatFrontEnd {
  const agent: AgentName = { label };
  const output = createJsonOutput(io, agentName(id), agent);
  const onProblem = (message: string): void => output.error({ code: 'usage', message, data: {} });
  const answers = answersByLine(onProblem);
  let stopReading = (): void => {};
  return {
    isTerminal: false,
    agent,
    output,
    answerer: {
      ask: answers.ask,
      closed: answers.closed,
      dispose() {
        stopReading();
        answers.dispose();
      },
    },
    show: () => {},
    listen(commands) {
      const lines = readJsonLines(io.stdin, {
        parse: (value) => chatLine.safeParse(value).data,
        onProblem,
        onLine: (line) => ('permission' in line || 'question' in line ? answers.give(line) : execute(line, commands, onProblem)),
        onEnd() {
          if (!isJoined) answers.end();
          commands.end();
        },
      });
      stopReading = () => lines.dispose();
    },
  };
}

function execute(
  line: Exclude<ChatLine, { permission: string } | { question: string }>,
  commands: ChatCommands,
  onProblem: (message: string) => void,
): void {
  const tell = (work: Promise<string | undefined>): void => void work.then((problem) => problem === undefined || onProblem(problem));
  if ('prompt' in line) {
    const { prompt, delivery } = line;
    return prompt.trim() === '' ? onProblem('The prompt is empty') : commands.prompt(prompt, delivery === 'turn' ? undefined : delivery);
  }
  if ('unqueue' in line) return commands.unqueue(line.unqueue);
  if ('stop' in line) return commands.stopCommand(line.stop);
  if ('cancel' in line) return commands.cancel();
  if ('stopSubagent' in line) return tell(commands.stopSubagent(line.stopSubagent));
  if ('retry' in line) return commands.retryNow();
  if ('signIn' in line) return tell(commands.signIn(line.signIn === true ? undefined : line.signIn));
  if ('option' in line) {
    const value = typeof line.value === 'boolean' ? (line.value ? 'on' : 'off') : line.value;
    return tell(commands.setOption({ id: line.option, value }));
  }
  if ('recover' in line)
    return commands.recover(line.recover) ? undefined : onProblem('The session is open, so there is nothing to recover');
  const isDone = 'resend' in line ? commands.resend(line.resend === true ? undefined : line.resend) : commands.skip();
  if (!isDone) onProblem('No turn was interrupted, so there is nothing to resend or skip');
}

interface AttachParts {
  readonly io: Io;
  /** Whether the agent works on another machine. */
  readonly isOnServer: () => boolean;
  /** Called when the terminal is gone, or when the user pressed Ctrl+D. */
  readonly onEnd: () => void;
}

/** The other end of a conversation that others have too: a program with JSON lines, or a user who only answers. */
export function createAttachFrontEnd(
  { format, permission }: RequestOf<'attach'>,
  entry: ConversationListEntry,
  { io, isOnServer, onEnd }: AttachParts,
): ChatFrontEnd {
  const { cwd } = entry;
  const { id, label } = entry.agent ?? { id: '', label: 'The agent' };
  if (format === 'json') return jsonFrontEnd({ id, label }, io, true);
  const agent: AgentName = { label };
  const screen = new Screen(io);
  const output = createTextOutput({ io, screen, cwd, agent, asks: permission === 'ask', isJoined: true });
  const access = createFileAccess(cwd);
  const files = { peekNow: (path: string) => (isOnServer() ? undefined : access.peekNow(path)) };
  if (isInteractive(io) && isActive(entry)) output.note('Press Ctrl+C to stop the turn, Ctrl+\\ to leave it running');
  const answerer = isInteractive(io)
    ? askInTerminal({ io, screen, cwd, files, agent, onEnd })
    : elsewhere(() => output.note(`${agent.label} needs your input. Answer in the editor, or with \`acp-host attach\` in a terminal`));
  return { isTerminal: true, agent, output, answerer, listen: () => {}, show: () => {} };
}

/** Nobody can be asked here, so the request stays open for others. */
function elsewhere(onAsked: () => void): Answerer {
  return { ask: onAsked, closed: () => {}, dispose: () => {} };
}
