import { type CallAsker, createFileAccess, type Disposable, type UserAnswer } from '../../core/index.js';
import { Answering, answersWithout } from '../input/answering.js';
import { nonInteractiveAnswer } from '../input/answerPolicy.js';
import { askInTerminal } from '../input/terminalPrompt.js';
import { paintFor } from '../output/paint.js';
import { Screen } from '../output/screen.js';
import { type Io, isColored, isInteractive } from '../system/io.js';

export interface CallAskerOptions {
  readonly io: Io;
  /** The agent's name for users. */
  readonly label: string;
  /** Absolute. */
  readonly cwd: string;
  readonly send: (requestId: string, answer: UserAnswer) => void;
  /** Nobody can be asked. */
  readonly onUnanswered: () => void;
}

/** Asks what an agent wants to know outside of a conversation at the terminal, until disposed. Without one, nothing is answered. */
export function callAsker({ io, label, cwd, send, onUnanswered }: CallAskerOptions): CallAsker & Disposable {
  const paint = paintFor(isColored(io.stderr, io.env));
  const answerer = isInteractive(io)
    ? askInTerminal({
        io,
        screen: new Screen(io),
        cwd,
        files: createFileAccess(cwd),
        agent: { label },
        paint,
        columns: () => io.stderr.columns,
      })
    : answersWithout((request) => {
        onUnanswered();
        return nonInteractiveAnswer(request);
      });
  const policy = { permission: 'ask', answer: undefined } as const;
  const answering = new Answering({ policy, answerer, send, onUnusable: () => {} });
  return {
    onRequest: (event) =>
      event.type === 'request_opened' ? answering.opened(event.request) : void answering.closed(event.requestId, event.answer),
    dispose: () => answerer.dispose(),
  };
}
