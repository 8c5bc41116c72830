/** Output for users: the answer streams to stdout, everything else goes to stderr as lines. */
import {
  type AgentStatus,
  closeReasonOf,
  type NoticeSeverity,
  printedText,
  type SessionEvent,
  stripControls,
  type ToolPatch,
  type TurnOutcome,
  type TurnUsage,
  type UserAnswer,
} from '../../core/index.js';
import { countText } from '../../text/changesText.js';
import { errorMessage, isOfConnection } from '../../text/errorText.js';
import { waitText } from '../../text/hintText.js';
import { lateHeading, lateWorkText, outputText } from '../../text/workText.js';
import { hostNoticeText, type NoticeText, stopText } from '../../text/noticeText.js';
import type { AgentName } from '../system/agents.js';
import { type Io, isColored } from '../system/io.js';
import { AnswerText } from './answerText.js';
import { oneLine, promptLine, textOf } from '../../text/plainText.js';
import { boxed, type Paint, paintFor } from './terminalText.js';
import { diffText } from './changeText.js';
import { adviceFor, type CliError, toCliError } from './errorText.js';
import type { Output } from './output.js';
import type { Screen } from './screen.js';
import { SubagentLines, ToolLines } from './toolLines.js';

/** A faster start needs no explanation. */
const SLOW_START_MS = 1500;
const SHOWN_STDERR_LINES = 8;

export interface TextOutputOptions {
  readonly io: Io;
  readonly screen: Screen;
  /** Absolute. */
  readonly cwd: string;
  readonly agent: AgentName;
  /** Requests are shown to a user. */
  readonly asks: boolean;
  /** The conversation goes on without this program. */
  readonly isJoined?: boolean;
  /** What undoes the changes of the turn that has just ended; undefined if there is nothing that simple. */
  readonly undoHint?: () => string;
  /** How to stop what goes on after a turn. */
  readonly stopHint?: string;
}

export function createTextOutput({ io, screen, cwd, agent, asks, isJoined = false, undoHint, stopHint }: TextOutputOptions): Output {
  const paint = paintFor(isColored(io.stderr, io.env));
  const answer = new AnswerText(screen);
  const write = (line: string): void => {
    thinking = false;
    answer.flush();
    screen.line(line);
  };
  const resultOf = (patch: ToolPatch, asked: boolean): readonly string[] =>
    toolResult(patch, { columns: io.stderr.columns, paint, isDecided: asks && asked });
  const toolOptions = { cwd, agent, paint, ...(io.stderr.isTTY ? { resultOf } : {}) };
  const tools = new ToolLines({ ...toolOptions, write });
  const aside = (line: string): void =>
    answer.aside(() => {
      thinking = false;
      screen.line(line);
    });
  const subagents = new SubagentLines({
    paint,
    write: aside,
    createTools: (writeLine) => new ToolLines({ ...toolOptions, write: writeLine }),
  });
  const plan = new PlanLines((line) => answer.aside(() => screen.line(line)));
  let slowStart: NodeJS.Timeout | undefined;
  let thinking = false;
  /** The last error of this turn, or before the first one. */
  let lastError: string | undefined;
  let lastStderr: string | undefined;

  const message = (event: Extract<SessionEvent, { type: 'message' }>): void => {
    if (event.role === 'user') return;
    if (event.role === 'thought') {
      // Does not start a new paragraph of the answer: some models think in the middle of a sentence.
      const text = stripControls(textOf(event.content));
      if (text === '') return;
      return answer.aside(() => {
        screen.aside(paint.dim(`${thinking ? '' : 'thinking: '}${text}`));
        thinking = true;
      });
    }
    thinking = false;
    answer.write(textOf(event.content));
    thinking = false;
  };
  const notice = (severity: NoticeSeverity, { title, description }: NoticeText): void => {
    const color = { info: paint.dim, warning: paint.yellow, error: paint.red }[severity];
    answer.aside(() => {
      thinking = false;
      screen.line(`${color(`${severity}:`)} ${oneLine(description ? `${title}: ${description}` : title, 1000)}`);
    });
  };
  const error = (data: CliError, stderrTail?: string): void => {
    if (data.message !== lastError) {
      write(`${paint.red('error:')} ${data.message}`);
      for (const advice of adviceFor(data)) write(`  ${stripControls(advice)}`);
    }
    lastError = data.message;
    if (!stderrTail || stderrTail === lastStderr || data.isUnexplained !== true) return;
    lastStderr = stderrTail;
    write(paint.dim(`  The agent's last output on stderr:\n${indented(stripControls(stderrTail))}`));
  };

  /** The ids of tool calls. */
  const called = new Set<string>();
  /** Whether the next thing that the agent says or does belongs to no turn, and has no heading yet. */
  let isLate = false;
  const head = (event: SessionEvent): void => {
    const isCall = event.type === 'tool' && !called.has(event.id);
    if (isCall) called.add(event.id);
    if (!isLate || (!isCall && (event.type !== 'message' || event.role === 'user'))) return;
    isLate = false;
    write(paint.dim(`${lateHeading}:`));
  };

  /** The ids of requests that wait for a page in the browser. */
  const openPages = new Set<string>();

  return {
    status(status: AgentStatus) {
      clearTimeout(slowStart);
      if (status.state === 'reconnecting' && status.retryAt !== undefined) {
        const seconds = Math.max(1, Math.round((status.retryAt - Date.now()) / 1000));
        const why = status.reason ? oneLine(errorMessage(status.reason, agent.label), 300) : `${agent.label} exited unexpectedly`;
        // The end of the turn reports it too.
        const reason = lastError === why ? '' : `${why}. `;
        lastError = why;
        const act = status.reason && isOfConnection(status.reason) ? 'Reconnecting' : 'Restarting';
        write(paint.yellow(`${reason}${act} in ${seconds} s (attempt ${status.attempt} of ${status.of})…`));
      }
      if (status.state === 'starting' && status.awaiting === 'next_minute') {
        write(paint.dim(`Waiting for the next minute: ${agent.label} can't load a session in the minute it was created…`));
      } else if (status.state === 'starting') {
        const over = status.protocol === undefined ? '' : ` over the protocol "${status.protocol}"`;
        const what = status.awaiting === 'session' ? 'open a session' : `answer${over}`;
        slowStart = setTimeout(() => write(paint.dim(`Waiting for ${agent.label} to ${what}…`)), SLOW_START_MS).unref();
      }
    },
    opened: () => {},
    detached: (id) => screen.answer(`${id}\n`),
    recovery({ sessionId, context }) {
      const saved = context === undefined ? 'Nothing of it was saved.' : 'The conversation is saved: `acp-host show ID` prints it.';
      write(`${agent.label} can't resume the session ${stripControls(sessionId)}. ${saved}`);
    },
    event(_, event) {
      answer.take(event);
      if (subagents.take(event)) return;
      head(event);
      switch (event.type) {
        case 'message':
          return message(event);
        case 'tool':
          return tools.add(event);
        case 'request_opened':
          if (event.request.kind === 'url' && event.request.isOpened === true) openPages.add(event.request.id);
          return tools.hold(event);
        case 'request_closed':
          tools.resume(event);
          // The end of the page, or of the turn, needs no explanation.
          if (openPages.delete(event.requestId)) return;
          return explainClosed(event.answer, (line) => write(paint.yellow(line)));
        case 'plan':
          return plan.show(event);
        case 'notice':
          return notice(event.severity, event);
        case 'host_notice':
          return notice(event.severity, hostNoticeText(event, agent.label));
        case 'turn_started':
          isLate = false;
          lastError = undefined;
          lastStderr = undefined;
          if (isJoined && event.content !== undefined) write(paint.dim(`> ${promptLine(event.content, 300)}`));
          return;
        case 'queued':
          return write(paint.dim(`queued by ${agent.label}: ${promptLine(event.prompt.content)}`));
        case 'turn_cancelling':
          return write(paint.dim(`Stopping… (press Ctrl+C again to ${isJoined ? 'leave' : 'kill the agent'})`));
        case 'turn_ended':
          tools.end();
          subagents.flush();
          isLate = true;
          if (event.outcome.type !== 'ended') return error(toCliError(event.outcome.error, agent.label), event.outcome.stderrTail);
          explainEnd(event.outcome, write);
          if (event.outcome.usage !== undefined) write(paint.dim(usageText(event.outcome.usage)));
          return;
        default:
          return;
      }
    },
    late(_, works) {
      if (works.length > 0) write(paint.dim([`${oneLine(lateWorkText(works), 300)}.`, stopHint ?? []].flat().join(' ')));
    },
    changed: (_, changes) => write(paint.dim([countText(changes), undoHint?.() ?? []].flat().join(' · '))),
    unrecorded(failure) {
      // The other reasons are rare, and lie in the folder.
      if (failure.params.reason === 'no_git') write(paint.dim(errorMessage(failure, agent.label)));
    },
    error,
    silence: ({ silentMs, wait, stderrLine }) => {
      const seconds = Math.round(silentMs / 1000);
      const quiet = seconds === 0 ? '' : `No output from ${agent.label} for ${seconds} s. `;
      const why = wait === undefined ? undefined : waitText(wait, agent.label, Date.now());
      const line = stderrLine === undefined || wait !== undefined ? '' : ` Its last line on stderr: ${oneLine(stderrLine, 200)}`;
      write(paint.dim(`${quiet}${why ?? 'Press Ctrl+C to stop it.'}${line}`));
    },
    notice: ({ severity, message: title }) => notice(severity, { title }),
    note: (text) => write(paint.dim(text)),
    end() {
      clearTimeout(slowStart);
      answer.flush();
      return screen.end();
    },
  };
}

type PlanEvent = Extract<SessionEvent, { type: 'plan' }>;

/** Shows only what changed, so that a long plan does not fill the screen repeatedly. */
class PlanLines {
  readonly #write: (line: string) => void;
  /** By the id of the plan. */
  readonly #shown = new Map<string | undefined, ReadonlySet<string>>();

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  show({ planId, entries, text }: PlanEvent): void {
    const steps = entries.map(
      ({ content, status }) => `${{ pending: '[ ]', in_progress: '[>]', completed: '[x]' }[status]} ${oneLine(content)}`,
    );
    const lines =
      text === undefined
        ? steps
        : [
            'plan:',
            ...stripControls(text.markdown.trim())
              .split('\n')
              .map((line) => `  ${line}`),
          ];
    const shown = this.#shown.get(planId) ?? new Set();
    const isSame = text === undefined || lines.every((line) => shown.has(line));
    for (const line of lines) if (isSame ? !shown.has(line) : true) this.#write(line);
    if (lines.length === 0) this.#shown.delete(planId);
    else this.#shown.set(planId, new Set(lines));
  }
}

/** Explains why a request closed without an answer of the user. Other reasons are clear from the context. */
function explainClosed(answer: UserAnswer, write: (line: string) => void): void {
  const texts: Readonly<Record<string, string>> = {
    deadline: answer.type === 'accept' ? 'No answer in time: the request was rejected.' : 'No answer in time: the request was canceled.',
    agent_gone: 'The request can no longer be answered: the agent exited.',
    withdrawn: 'The agent withdrew or changed the request.',
    no_options: 'The agent offered no answers to choose from, so the request was canceled.',
  };
  const why = closeReasonOf(answer);
  const explanation = why === undefined ? undefined : texts[why];
  if (explanation !== undefined) write(explanation);
}

function explainEnd({ stopReason, silent, stderrTail }: Extract<TurnOutcome, { type: 'ended' }>, write: (line: string) => void): void {
  const explanation = silent ? 'The agent ended the turn without a reply.' : stopText[stopReason];
  if (explanation !== undefined) write(explanation);
  if (silent && stderrTail) write(`  Its last output on stderr:\n${indented(stripControls(stderrTail))}`);
}

/** "1,234 tokens: 1,000 in, 234 out". */
function usageText({ totalTokens, inputTokens, outputTokens, cachedReadTokens }: TurnUsage): string {
  const count = (tokens: number): string => tokens.toLocaleString('en-US');
  const cached = cachedReadTokens ? `, ${count(cachedReadTokens)} from the cache` : '';
  return `${count(totalTokens)} tokens: ${count(inputTokens)} in, ${count(outputTokens)} out${cached}`;
}

/** The end of the agent's stderr, as a block below the line that introduces it. */
function indented(stderrTail: string): string {
  return stderrTail
    .trimEnd()
    .split('\n')
    .slice(-SHOWN_STDERR_LINES)
    .map((line) => `    ${line}`)
    .join('\n');
}

/** Formats what appears below the line of a call that ended, at a terminal: how a file changed, and what a command printed. */
const mostLines = 10;
/** Longer lines are for files and pipes. */
const mostColumns = 400;

interface ToolResultOptions {
  readonly columns: number | undefined;
  readonly paint: Paint;
  /** The user decided about the change, and has therefore seen it. */
  readonly isDecided: boolean;
}

/** @returns lines with styles: the first ones of a change, the last ones of output */
export function toolResult({ content = [], toolKind }: ToolPatch, { columns, paint, isDecided }: ToolResultOptions): readonly string[] {
  const changed = isDecided ? [] : content.flatMap((one) => (one.type === 'diff' ? diffText(one, paint) : []));
  const printed = toolKind === 'execute' ? printedLines(outputText(content)) : [];
  return [
    ...changed.slice(0, mostLines),
    ...moreLines(changed.length, 'more', paint),
    ...moreLines(printed.length, 'earlier', paint),
    ...printed.slice(-mostLines),
  ].flatMap((line) => boxed(line, columns, paint));
}

function moreLines(count: number, which: 'more' | 'earlier', paint: Paint): readonly string[] {
  const left = count - mostLines;
  return left > 0 ? [paint.dim(`⋯ ${left} ${which} ${left === 1 ? 'line' : 'lines'}`)] : [];
}

function printedLines(output: string): readonly string[] {
  const text = printedText(output).trimEnd();
  return text === '' ? [] : text.split('\n').map((line) => line.slice(0, mostColumns));
}
