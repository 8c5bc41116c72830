/** Asks the person at the terminal, one request at a time. Closing a request cancels it. */
import { createInterface, type Interface } from 'node:readline';
import type { UserAnswer, UserRequest } from '../../core/index.js';
import type { Screen } from '../output/screen.js';
import type { Io } from '../system/io.js';
import type { Answerer } from './answering.js';
import { type DialogParts, openDialog, type RequestDialog } from './requestDialog.js';

interface Waiting {
  readonly request: UserRequest;
  readonly answer: (answer: UserAnswer) => boolean;
}

export interface TerminalRequestsOptions extends DialogParts {
  readonly screen: Screen;
  /** Asks for a line with this text in front of it; undefined: nothing is being asked. */
  readonly prompt: (words: string | undefined) => void;
}

export interface TerminalRequests extends Answerer {
  /** @returns false where nothing is being asked, so that the line is not an answer */
  typed(line: string): boolean;
  /** No more input will come. */
  ended(): void;
}

export function terminalRequests({ screen, prompt, ...parts }: TerminalRequestsOptions): TerminalRequests {
  const queue: Waiting[] = [];
  let ended = false;
  /** For the first request of the queue. */
  let dialog: RequestDialog | undefined;

  const show = ({ request }: Waiting): void => {
    dialog = openDialog(request, parts);
    screen.interruptAnswer();
    screen.line(`\n${dialog.text}`);
    prompt(dialog.prompt());
  };

  return {
    typed(line) {
      const current = queue[0];
      if (!current || !dialog) return false;
      screen.lineTyped();
      const typed = dialog.typed(line);
      if (typed?.type === 'more') {
        if (typed.text) screen.line(typed.text);
        prompt(dialog.prompt());
        return true;
      }
      if (typed !== undefined) {
        if (current.answer(typed)) return true;
        dialog = openDialog(current.request, parts);
      }
      screen.line('Not a valid choice.');
      prompt(dialog.prompt());
      return true;
    },
    ended() {
      ended = true;
      for (const { answer } of [...queue]) answer({ type: 'cancel' });
    },
    ask(request, answer) {
      if (ended) {
        answer({ type: 'cancel' });
        return;
      }
      const waiting = { request, answer };
      queue.push(waiting);
      if (queue.length === 1) show(waiting);
    },
    closed(requestId) {
      const index = queue.findIndex(({ request }) => request.id === requestId);
      if (index === -1) return;
      queue.splice(index, 1);
      if (index !== 0) return;
      if (queue[0]) show(queue[0]);
      else prompt(undefined);
    },
    dispose: () => {},
  };
}

/** Reads nothing but answers from the terminal. */
export function askInTerminal({ io, ...options }: Omit<TerminalRequestsOptions, 'prompt'> & { readonly io: Io }): Answerer {
  let lines: Interface | undefined;
  const requests = terminalRequests({
    ...options,
    prompt(words) {
      if (words === undefined) return;
      options.screen.aside(words);
      // Not before a question is asked: a background process must not touch the terminal's input.
      if (lines) return;
      lines = createInterface({ input: io.stdin, terminal: false });
      // A line typed while nothing was asked is not an answer to a later question.
      lines.on('line', (line) => void requests.typed(line)).on('close', () => requests.ended());
    },
  });
  return {
    ask: requests.ask,
    closed: requests.closed,
    dispose() {
      lines?.removeAllListeners('close').close();
      io.stdin.destroy();
    },
  };
}
