/** `acp-host serve`: makes an agent of any protocol available as an ACP agent on stdin and stdout. Everything else goes to stderr. */
import { setTimeout as delay } from 'node:timers/promises';
import { chooseAgent } from '../system/agents.js';
import { adviceFor, toCliError } from '../output/errorText.js';
import { ExitCode, exitCodeOfSignal, exitCodeOfStart } from '../output/exitCode.js';
import { existingFolder } from '../system/files.js';
import { connectBackend, type Logger, nullLogger, Redactor, stripControls } from '../../core/index.js';
import { onInterrupts } from '../system/interrupts.js';
import { abandon, flushed, type Io, isFull, untilAbandoned } from '../system/io.js';
import { runLogin } from './loginCommand.js';
import { clientInfo, packageVersion } from '../system/ownPackage.js';
import type { RequestOf } from '../arguments/parseArguments.js';
import { serveAsAcp, type ServeEnd } from '../../serve/serveAsAcp.js';
import { stdioStream, untilDrained } from '../../serve/clientStream.js';

const limitBytes = 256 * 1024;
/** A reader that takes nothing for so long is not waited for at the end. */
const patienceMs = 1_000;

export class LossyLines {
  readonly #stderr: Io['stderr'];
  #lost = 0;

  constructor({ stderr }: Pick<Io, 'stderr'>) {
    this.#stderr = stderr;
    stderr.on('drain', () => this.#tellLost());
  }

  /** Drops the line while too much waits to be read. */
  write(line: string): void {
    if (this.#stderr.writableLength > limitBytes) this.#lost++;
    else this.#stderr.write(`${line}\n`);
  }

  /** Resolves when everything is read, or the reader is gone. */
  async end(): Promise<void> {
    await Promise.race([flushed(this.#stderr), delay(patienceMs, undefined, { ref: false })]);
    if (isFull(this.#stderr)) abandon(this.#stderr);
  }

  #tellLost(): void {
    const lost = this.#lost;
    this.#lost = 0;
    if (lost > 0) this.write(`acp-host: ${lost} lines were left out because nobody read them in time`);
  }
}

/**
 * Knows whether the output on stdout is being read. While it is not, the agent is not read either, so that little output waits. A
 * reader that is gone accepts everything, and a stderr that is not read delays nothing.
 */
export class OutputFlow {
  readonly #io: Pick<Io, 'stdout' | 'stderr'>;
  #waiting: { readonly drained: Promise<void>; readonly release: () => void } | undefined;
  /** The user pressed Ctrl+C while the output was not being read. The agent is then read anyway, to find out that it stopped. */
  #isReleased = false;

  constructor(io: Pick<Io, 'stdout' | 'stderr'>) {
    this.#io = io;
    onInterrupts({ interrupt: () => this.#interrupt(), end: () => this.#abandon() });
  }

  /** Returns undefined while more can be printed. */
  whenDrained(): Promise<void> | undefined {
    const { stdout } = this.#io;
    if (!isFull(stdout)) this.#isReleased = false;
    if (!isFull(stdout) || this.#isReleased) return undefined;
    this.#waiting ??= this.#wait(stdout);
    return this.#waiting.drained;
  }

  #wait(stdout: NodeJS.WriteStream): { readonly drained: Promise<void>; readonly release: () => void } {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const drained = Promise.race([released, untilDrained(stdout)]).then(() => {
      this.#waiting = undefined;
    });
    return { drained, release };
  }

  #interrupt(): void {
    if (!isFull(this.#io.stdout)) return;
    if (this.#isReleased) return this.#abandon();
    this.#isReleased = true;
    this.#waiting?.release();
  }

  /** The program ends without waiting for readers. */
  #abandon(): void {
    for (const stream of [this.#io.stdout, this.#io.stderr]) if (isFull(stream)) abandon(stream);
    this.#waiting?.release();
  }
}

/**
 * @returns 0 if the client left, `failed` if it sent an unreadable message, `agentLost` if the agent ended
 * @throws HostError `usage`, `agent_not_found`
 */
export async function runServe({ agent, cwd: folder, signIn }: RequestOf<'serve'>, io: Io): Promise<number> {
  // The client runs this program in a terminal, with the arguments from `initialize`.
  if (signIn !== undefined) return runLogin({ type: 'login', agent, cwd: folder, method: signIn, signsOut: false }, io);
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
        { services, redactor },
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
