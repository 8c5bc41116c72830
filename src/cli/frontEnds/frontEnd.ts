/** Who sees what a run does, and who answers the agent: a user, a program or only the options. */
import { type AgentDefinition, createFileAccess } from '../../core/index.js';
import type { RunRequest } from '../arguments/request.js';
import { type Answerer, answersWithout } from '../input/answering.js';
import { nonInteractiveAnswer, nonInteractiveCancel, refusalReason } from '../input/answerPolicy.js';
import { answersFromStdin } from '../input/stdinAnswers.js';
import { askInTerminal } from '../input/terminalPrompt.js';
import { createJsonOutput } from '../output/jsonOutput.js';
import type { Output } from '../output/output.js';
import { paintFor } from '../output/paint.js';
import { Screen } from '../output/screen.js';
import { createTextOutput } from '../output/textOutput.js';
import { type AgentName, agentName } from '../system/agents.js';
import { type Io, isColored, isInteractive } from '../system/io.js';

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
