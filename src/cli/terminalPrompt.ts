/** Asks the person at the terminal: one request after another, and closing is `cancel`. */
import { createInterface, type Interface } from 'node:readline';
import type { UserAnswer, UserRequest } from '../core/index.js';
import type { Answerer } from './answering.js';
import type { Io } from './io.js';
import { type DialogParts, openDialog, type RequestDialog } from './requestDialog.js';
import type { Screen } from './screen.js';

interface Waiting {
  readonly request: UserRequest;
  readonly answer: (answer: UserAnswer) => boolean;
}

export interface TerminalRequestsOptions extends DialogParts {
  readonly screen: Screen;
  /** Asks for a line, with these words in front of it; undefined: nothing is asked any more. */
  readonly prompt: (words: string | undefined) => void;
}

export interface TerminalRequests extends Answerer {
  /** @returns false when nothing is asked, so that the line is no answer */
  typed(line: string): boolean;
  /** Nobody types any more. */
  ended(): void;
}

export function terminalRequests({ screen, prompt, ...parts }: TerminalRequestsOptions): TerminalRequests {
  const queue: Waiting[] = [];
  let ended = false;
  /** Of the first in the queue. */
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
      const meant = dialog.typed(line);
      if (meant?.type === 'more') {
        if (meant.text) screen.line(meant.text);
        prompt(dialog.prompt());
        return true;
      }
      if (meant !== undefined) {
        if (current.answer(meant)) return true;
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

/** The terminal's input is there for the answers alone. */
export function askInTerminal({ io, ...options }: Omit<TerminalRequestsOptions, 'prompt'> & { readonly io: Io }): Answerer {
  let lines: Interface | undefined;
  const requests = terminalRequests({
    ...options,
    prompt(words) {
      if (words === undefined) return;
      options.screen.aside(words);
      // Not before somebody is asked: a process in the background must not touch the terminal's input.
      if (lines) return;
      lines = createInterface({ input: io.stdin, terminal: false });
      // What was typed while nothing was asked is no answer to a later question.
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
