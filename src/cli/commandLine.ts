/** One command, from its arguments to its exit code, with the streams that it is given. */
import { type HostError, toHostError } from '../core/index.js';
import { helpText } from './arguments/help.js';
import { usageError } from './arguments/optionValues.js';
import { commandIn, type CommandName, parseArguments, type Request, type RequestOf } from './arguments/parseArguments.js';
import { listAgents } from './commands/agentsCommand.js';
import { runAttach } from './commands/attachCommand.js';
import { showChanges } from './commands/changesCommand.js';
import { runChat } from './commands/chatCommand.js';
import { runDoctor } from './commands/doctorCommand.js';
import { runEngine } from './commands/engineCommand.js';
import { runInstall, runRemove } from './commands/installCommand.js';
import { runLogin } from './commands/loginCommand.js';
import { replayTrace } from './commands/replayCommand.js';
import { runPrompt } from './commands/runCommand.js';
import { listSessions } from './commands/sessionsCommand.js';
import { showSession } from './commands/showCommand.js';
import { showStatus } from './commands/statusCommand.js';
import { stopTurns } from './commands/stopCommand.js';
import { undoChanges } from './commands/undoCommand.js';
import { adviceFor, toCliError } from './output/errorText.js';
import { ExitCode, exitCodeOfSignal, exitCodeOfStart } from './output/exitCode.js';
import { writeJsonError } from './output/jsonOutput.js';
import type { Io } from './system/io.js';
import { packageVersion } from './system/ownPackage.js';

/** What each command does. One without an exit code has ended well. */
const runs: { readonly [N in CommandName]: (request: RequestOf<N>, io: Io) => Promise<number | void> } = {
  run: runPrompt,
  chat: runChat,
  attach: runAttach,
  status: showStatus,
  stop: stopTurns,
  changes: showChanges,
  undo: undoChanges,
  sessions: listSessions,
  show: showSession,
  agents: listAgents,
  install: runInstall,
  update: runInstall,
  remove: runRemove,
  doctor: runDoctor,
  login: runLogin,
  // Only this command needs the library behind it.
  serve: async (request, io) => (await import('./commands/serveCommand.js')).runServe(request, io),
  engine: runEngine,
  replay: replayTrace,
};

async function execute<N extends CommandName>(type: N, request: RequestOf<N>, io: Io): Promise<number> {
  return (await runs[type](request, io)) ?? ExitCode.ended;
}

function explain(error: HostError, argv: readonly string[], request: Request | undefined, io: Io): void {
  const described = toCliError(error.toData());
  if ((request?.type === 'run' || request?.type === 'chat' || request?.type === 'attach') && request.format === 'json')
    return writeJsonError(io, described);
  io.stderr.write(`acp-host: ${described.message}\n`);
  for (const advice of adviceFor(described, io.env)) io.stderr.write(`  ${advice}\n`);
  if (error.code === 'usage') io.stderr.write(`Try: ${['acp-host', commandIn(argv) ?? [], '--help'].flat().join(' ')}\n`);
  if (error.code === 'internal') io.stderr.write(`${error.stack ?? ''}\n`);
}

/** Any use of a relative path fails then, wherever it is. */
function isCurrentFolderGone(thrown: unknown): boolean {
  return thrown instanceof Error && 'syscall' in thrown && thrown.syscall === 'uv_cwd';
}

/** @returns the exit code. What was written may not have been read yet. */
export async function runCommandLine(argv: readonly string[], io: Io): Promise<number> {
  let request: Request | undefined;
  try {
    request = parseArguments(argv, io.platform);
    if (request.type === 'help') io.stdout.write(helpText(request.command));
    else if (request.type === 'version') io.stdout.write(`${packageVersion()}\n`);
    else return await execute(request.type, request, io);
    return ExitCode.ended;
  } catch (thrown) {
    const error = isCurrentFolderGone(thrown)
      ? usageError('The current folder no longer exists. Change to another one')
      : toHostError(thrown);
    explain(error, argv, request, io);
    const { signal } = error.params;
    return error.code === 'cancelled' && typeof signal === 'string' ? exitCodeOfSignal(signal) : exitCodeOfStart(error.code);
  }
}
