/** `acp-host replay TRACE`: a recorded agent, on stdin and stdout. */
import { readFile } from 'node:fs/promises';
import { HostError, parseTrace, processesOf, type Trace, type TraceLine, TracePlayer } from '../../core/index.js';
import type { ReplayRequest } from '../arguments/arguments.js';
import { ExitCode } from '../output/exitCode.js';
import type { Io } from '../system/io.js';
import { stripControls } from '../output/terminalText.js';

/** @returns the recorded agent's own exit code where it ended by itself, `failed` where the client left before the end @throws HostError `usage` */
export async function replayTrace({ file, process }: ReplayRequest, io: Io): Promise<number> {
  const trace = parseTrace(await readTrace(file));
  const steps = chosenProcess(trace, process);
  const tell = (words: string): void => void io.stderr.write(`acp-host replay: ${stripControls(words)}\n`);
  return new Promise((resolve) => {
    const player = new TracePlayer(steps, {
      write: (line) => void io.stdout.write(`${line}\n`),
      writeStderr: (line) => void io.stderr.write(`${line}\n`),
      tell,
      exit: resolve,
    });
    player.start();
    readLines(
      io.stdin,
      (line) => player.receive(line),
      () => resolve(player.end() ? ExitCode.ended : ExitCode.failed),
    );
  });
}

async function readTrace(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new HostError('usage', `The trace cannot be read: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** @param number 1-based; absent: the process that said most, as the others are starts that failed and takings-up */
function chosenProcess(trace: Trace, number: number | undefined): readonly TraceLine[] {
  const processes = processesOf(trace);
  const chosen = number === undefined ? processes.toSorted((one, other) => other.length - one.length)[0] : processes[number - 1];
  if (chosen !== undefined) return chosen;
  throw new HostError(
    'usage',
    number === undefined ? 'The trace holds no messages' : `The trace has no process ${number}: it holds ${processes.length}`,
  );
}

/** Cut at LF only: a message may hold other characters that count as line ends elsewhere. */
function readLines(stdin: NodeJS.ReadStream, onLine: (line: string) => void, onEnd: () => void): void {
  let rest = '';
  stdin
    .setEncoding('utf8')
    .on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.trim() !== '') onLine(line);
    })
    .once('end', () => {
      if (rest.trim() !== '') onLine(rest);
      onEnd();
    });
}
