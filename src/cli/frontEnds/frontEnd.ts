/** Who sees what a run does, and who answers the agent: a user, a program or only the options. */
import { type AgentName, agentName } from '../system/agents.js';
import { type Answerer, Answering, answersWithout } from '../input/answering.js';
import { nonInteractiveAnswer, nonInteractiveCancel, refusalReason } from '../input/answerPolicy.js';
import { type AgentDefinition, type CallAsker, createFileAccess, type Disposable, type UserAnswer } from '../../core/index.js';
import { type Io, isColored, isInteractive } from '../system/io.js';
import { createJsonOutput } from '../output/jsonOutput.js';
import type { Output } from '../output/output.js';
import { paintFor } from '../output/terminalText.js';
import type { RunRequest } from '../arguments/request.js';
import { Screen } from '../output/screen.js';
import { answersFromStdin } from '../input/stdinAnswers.js';
import { askInTerminal } from '../input/terminalPrompt.js';
import { createTextOutput } from '../output/textOutput.js';

export interface FrontEnd {
  /** Used by everything that the front end shows. */
  readonly agent: AgentName;
  readonly output: Output;
  /** Receives the requests that the options leave open. */
  readonly answerer: Answerer;
}

export function createFrontEnd(request: RunRequest, agent: AgentDefinition, cwd: string, io: Io): FrontEnd {
  const frontEnd = request.format === 'json' ? jsonFrontEnd(request, agent, io) : terminalFrontEnd(request, agent, cwd, io);
  return request.detach ? whileDetaching(frontEnd) : frontEnd;
}

/** What happens is seen elsewhere: this program tells only what keeps it from leaving. */
function whileDetaching({ agent, output }: FrontEnd): FrontEnd {
  const nothing = (): void => {};
  return {
    agent,
    output: { ...output, status: nothing, opened: nothing, event: nothing, changed: nothing, unrecorded: nothing, silence: nothing },
    answerer: { ask: nothing, closed: nothing, dispose: nothing },
  };
}

function jsonFrontEnd({ permission, prompt, detach }: RunRequest, { id, label }: AgentDefinition, io: Io): FrontEnd {
  const agent: AgentName = { label };
  const output = createJsonOutput(io, agentName(id), agent);
  if (permission !== 'ask' || detach) return { agent, output, answerer: answersWithout(nonInteractiveAnswer) };
  // A prompt from stdin uses all of it, so no answers can follow.
  if (prompt === '-') return { agent, output, answerer: answersWithout(() => nonInteractiveCancel) };
  return { agent, output, answerer: answersFromStdin(io.stdin, (message) => output.error({ code: 'usage', message, data: {} })) };
}

function terminalFrontEnd({ permission, prompt }: RunRequest, definition: AgentDefinition, cwd: string, io: Io): FrontEnd {
  const agent: AgentName = { label: definition.label };
  const screen = new Screen(io);
  const output = createTextOutput({ io, screen, cwd, agent, asks: permission === 'ask' });
  if (prompt === '-' || !isInteractive(io)) {
    const answerer = answersWithout((request) => {
      const why = refusalReason(request, permission);
      if (why !== undefined) output.note(why);
      return nonInteractiveAnswer(request);
    });
    return { agent, output, answerer };
  }
  const paint = paintFor(isColored(io.stderr, io.env));
  const files = 'url' in definition ? undefined : createFileAccess(cwd);
  return { agent, output, answerer: askInTerminal({ io, screen, cwd, files, agent, paint, columns: () => io.stderr.columns }) };
}

interface CallAskerOptions {
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
