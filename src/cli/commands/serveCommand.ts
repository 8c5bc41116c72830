/** `acp-host serve`: makes an agent of any protocol available as an ACP agent on stdin and stdout. Everything else goes to stderr. */
import { connectBackend, type Logger, nullLogger, Redactor, systemClock, stripControls } from '../../core/index.js';
import { serveAsAcp } from '../../serve/serveAsAcp.js';
import type { ServeEnd } from '../../serve/serveEnd.js';
import { stdioStream } from '../../serve/stdioStream.js';
import type { ServeRequest } from '../arguments/request.js';
import { adviceFor, toCliError } from '../output/errorText.js';
import { ExitCode, exitCodeOfSignal, exitCodeOfStart } from '../output/exitCode.js';
import { LossyLines } from '../output/lossyLines.js';
import { chooseAgent } from '../system/agents.js';
import { existingFolder } from '../system/files.js';
import { onInterrupts } from '../system/interrupts.js';
import { type Io, untilAbandoned } from '../system/io.js';
import { OutputFlow } from '../system/outputFlow.js';
import { clientInfo, packageVersion } from '../system/packageVersion.js';
import { runLogin } from './loginCommand.js';

/**
 * @returns 0 if the client left, `failed` if it sent an unreadable message, `agentLost` if the agent ended
 * @throws HostError `usage`, `agent_not_found`
 */
export async function runServe({ agent, cwd: folder, signIn }: ServeRequest, io: Io): Promise<number> {
  // The client runs this program in a terminal, with the arguments from `initialize`.
  if (signIn !== undefined) return runLogin({ type: 'login', agent, cwd: folder, method: signIn }, io);
  const cwd = await existingFolder(folder ?? '.');
  const { definition } = await chooseAgent(agent, io, cwd);
  const redactor = new Redactor();
  const lines = new LossyLines(io);
  const say = (text: string): void => lines.write(stripControls(redactor.text(text)));
  const log: Logger = { ...nullLogger, warn: (message) => say(`acp-host: ${message}`), error: (message) => say(`acp-host: ${message}`) };
  const flow = new OutputFlow(io);
  const abandoned = new AbortController();
  const { stream, inputEnded, drained } = stdioStream(io.stdin, io.stdout);
  const serving = serveAsAcp({
    stream,
    inputEnded,
    cwd,
    log,
    label: definition.label,
    version: packageVersion(),
    signInArguments: (methodId) => ['--sign-in', methodId],
    connect: (services) =>
      connectBackend(
        {
          agent: definition,
          cwd,
          log,
          clientInfo: clientInfo(),
          terminalAuth: true,
          baseEnv: io.env,
          whenDrained: () => flow.whenDrained(),
        },
        { services, redactor, clock: systemClock },
        { signal: abandoned.signal, onTraffic: (entry) => entry.kind === 'stderr' && say(entry.text) },
      ),
  });
  let signalled: number | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    abandoned.abort();
    serving.stop({ force: signalled !== undefined });
    signalled = exitCodeOfSignal(signal);
  };
  const interrupts = onInterrupts({ interrupt: () => stop('SIGINT'), end: stop });
  const end = await serving.ended;
  await Promise.race([drained(), untilAbandoned(io.stdout)]);
  interrupts.dispose();
  const code = signalled ?? exitCodeOf(end, definition.label, say);
  await lines.end();
  return code;
}

function exitCodeOf(end: ServeEnd, label: string, say: (text: string) => void): number {
  if (end.error === undefined) return ExitCode.ended;
  if (end.type === 'left') {
    say(`acp-host: ${toCliError(end.error.toData(), 'The client').message}`);
    return ExitCode.failed;
  }
  const described = toCliError(end.error.toData(), label);
  say(`acp-host: ${described.message}`);
  for (const advice of adviceFor(described)) say(`  ${advice}`);
  return end.type === 'lost' ? ExitCode.agentLost : exitCodeOfStart(end.error.code);
}
