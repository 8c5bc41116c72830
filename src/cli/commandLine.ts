/** One command, from its arguments to its exit code, with the streams that it is given. */
import { type HostError, toHostError } from '../core/index.js';
import { helpText } from './arguments/help.js';
import { parseArguments } from './arguments/parseArguments.js';
import { commandIn, type Request, usageError } from './arguments/request.js';
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
import { ExitCode, exitCodeOfStart } from './output/exitCode.js';
import { writeJsonError } from './output/jsonOutput.js';
import type { Io } from './system/io.js';
import { packageVersion } from './system/ownPackage.js';

async function execute(request: Request, io: Io): Promise<number> {
  switch (request.type) {
    case 'run':
      return runPrompt(request, io);
    case 'chat':
      return runChat(request, io);
    case 'attach':
      return runAttach(request, io);
    case 'status':
      await showStatus(request, io);
      return ExitCode.ended;
    case 'stop':
      await stopTurns(request, io);
      return ExitCode.ended;
    case 'changes':
      await showChanges(request, io);
      return ExitCode.ended;
    case 'undo':
      return undoChanges(request, io);
    case 'engine':
      await runEngine(request, io);
      return ExitCode.ended;
    case 'sessions':
      return listSessions(request, io);
    case 'show':
      await showSession(request, io);
      return ExitCode.ended;
    case 'agents':
      await listAgents(request, io, process.cwd());
      return ExitCode.ended;
    case 'install':
    case 'update':
      await runInstall(request, io);
      return ExitCode.ended;
    case 'remove':
      await runRemove(request, io);
      return ExitCode.ended;
    case 'doctor':
      return runDoctor(request, io);
    case 'login':
      return runLogin(request, io);
    case 'serve': {
      // Only this command needs the library behind it.
      const { runServe } = await import('./commands/serveCommand.js');
      return runServe(request, io);
    }
    case 'replay':
      return replayTrace(request, io);
    case 'help':
      io.stdout.write(helpText(request.command));
      return ExitCode.ended;
    case 'version':
      io.stdout.write(`${packageVersion()}\n`);
      return ExitCode.ended;
  }
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
    return await execute(request, io);
  } catch (thrown) {
    const error = isCurrentFolderGone(thrown)
      ? usageError('The current folder no longer exists. Change to another one')
      : toHostError(thrown);
    explain(error, argv, request, io);
    return exitCodeOfStart(error.code);
  }
}
