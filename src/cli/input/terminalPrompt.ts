/**
 * Asks the user at the terminal, one request at a time. Closing a request cancels it. Nothing else is written while a request is open: it
 * would move the request out of sight, and an agent could put another one in its place.
 */
import type { CloseReason, Disposable, UserAnswer, UserRequest } from '../../core/index.js';
import type { Screen } from '../output/screen.js';
import { paintFor } from '../output/terminalText.js';
import type { AgentName } from '../system/agents.js';
import { isInBackground, onContinued } from '../system/interrupts.js';
import { type Io, isColored } from '../system/io.js';
import type { Answerer } from './answering.js';
import { type DialogParts, openDialog, type RequestDialog } from './requestDialog.js';
import { TerminalLines } from './terminalLines.js';

interface Waiting {
  readonly request: UserRequest;
  readonly answer: (answer: UserAnswer, feedback?: string) => boolean;
}

/** With these, a request disappears while the user may be about to finish an answer. */
const unexpected: ReadonlySet<string | undefined> = new Set<CloseReason | 'answered'>(['answered', 'withdrawn', 'deadline']);

const inBackground = 'This runs in the background. To answer, bring it to the foreground, for example with fg.';

export interface TerminalRequestsOptions extends Omit<DialogParts, 'agentLabel'> {
  readonly agent: AgentName;
  readonly screen: Screen;
  /** Asks for a line with this text in front of it; undefined if nothing is being asked. */
  readonly prompt: (words: string | undefined) => void;
  /** Draws in place of the line, discards what was typed before, and calls back once nothing was typed for a moment. */
  readonly settle: (draw: () => void, onQuiet: () => void) => Disposable;
}

export interface TerminalRequests extends Answerer {
  /** @returns false if nothing is being asked, so that the line is not an answer */
  typed(line: string): boolean;
  /** No more input will come. */
  ended(): void;
}

export function terminalRequests({ screen, prompt, settle, agent, ...parts }: TerminalRequestsOptions): TerminalRequests {
  /** By the ids of the requests, the oldest first. */
  const queue = new Map<string, Waiting>();
  const first = (): Waiting | undefined => queue.values().next().value;
  let ended = false;
  /** The dialog of the first request in the queue. */
  let dialog: RequestDialog | undefined;
  /** What is typed counts for nothing yet: the request has just become visible, or has just disappeared. */
  let settling: Disposable | undefined;

  const endSettling = (): void => {
    settling?.dispose();
    settling = undefined;
  };

  const say = (text: string): void => screen.inFront(() => screen.line(text));

  /** @param note precedes the request */
  const show = (waiting: Waiting, note?: string): void => {
    endSettling();
    screen.hold(() => show(waiting, note));
    const opened = openDialog(waiting.request, { ...parts, agentLabel: agent.label });
    dialog = opened;
    const draw = (): void => {
      screen.inFront(() => {
        screen.interruptAnswer();
        const after = isInBackground() ? [inBackground] : [];
        screen.line(['', ...(note === undefined ? [] : [note]), opened.text, ...after].join('\n'));
      });
    };
    settling = settle(draw, () => {
      settling = undefined;
      prompt(opened.prompt());
    });
  };

  return {
    typed(line) {
      const current = first();
      if (!current || !dialog) return false;
      if (settling !== undefined) return true;
      screen.lineTyped();
      const typed = dialog.typed(line);
      if (typed?.type === 'more') {
        if (typed.text) say(typed.text);
        prompt(dialog.prompt());
        return true;
      }
      if (typed?.type === 'changed') {
        show(current, 'A file has changed since this was shown. This is how it is now:');
        return true;
      }
      if (typed !== undefined) {
        if (typed.type === 'instead' ? current.answer({ type: 'cancel' }, typed.feedback) : current.answer(typed)) return true;
        dialog = openDialog(current.request, { ...parts, agentLabel: agent.label });
      }
      say('Not a valid choice.');
      prompt(dialog.prompt());
      return true;
    },
    ended() {
      ended = true;
      for (const { answer } of [...queue.values()]) answer({ type: 'cancel' });
    },
    ask(request, answer) {
      if (ended) {
        answer({ type: 'cancel' });
        return;
      }
      const waiting = { request, answer };
      queue.set(request.id, waiting);
      if (queue.size === 1) show(waiting);
    },
    closed(requestId, why) {
      const shown = first();
      if (!queue.delete(requestId) || shown?.request.id !== requestId) return;
      endSettling();
      screen.release();
      const next = first();
      if (next && !ended) return show(next);
      if (ended || !unexpected.has(why)) return prompt(undefined);
      const onQuiet = (): void => {
        settling = undefined;
        prompt(undefined);
      };
      settling = settle(() => {}, onQuiet);
    },
    dispose() {
      endSettling();
      screen.release();
    },
  };
}

interface TerminalAnswersOptions extends Pick<TerminalRequestsOptions, 'agent' | 'screen' | 'cwd' | 'files'> {
  readonly io: Io;
  /** No more input will come. By default, open requests are canceled. */
  readonly onEnd?: () => void;
}

/** Reads only answers from the terminal. */
export function askInTerminal({ io, onEnd, ...options }: TerminalAnswersOptions): Answerer {
  /** What is asked at the moment. */
  let asked: string | undefined;
  const lines = new TerminalLines({
    stdin: io.stdin,
    // A line that was typed while nothing was asked does not answer a later question.
    onLine: (line) => void requests.typed(line),
    onEnd: onEnd ?? (() => requests.ended()),
  });
  const requests: TerminalRequests = terminalRequests({
    ...options,
    paint: paintFor(isColored(io.stderr, io.env)),
    columns: () => io.stderr.columns,
    settle(draw, onQuiet) {
      asked = undefined;
      draw();
      return lines.settle(onQuiet);
    },
    prompt(words) {
      asked = words;
      askAgain();
    },
  });
  function askAgain(): void {
    const words = asked;
    if (words !== undefined) options.screen.inFront(() => options.screen.aside(words));
  }
  // The terminal has dropped the unfinished answer, and the shell has written below the question.
  const continued = onContinued(() => {
    lines.continued(askAgain);
    if (asked !== undefined && isInBackground()) options.screen.inFront(() => options.screen.line(inBackground));
  });
  return {
    ask: requests.ask,
    closed: requests.closed,
    dispose() {
      continued.dispose();
      lines.dispose();
    },
  };
}
