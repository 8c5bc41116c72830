/** `acp-host replay TRACE`: replays a recorded agent on stdin and stdout. */
import {
  type FrameDescriber,
  frameDescriberOf,
  parseTrace,
  processesOf,
  type Trace,
  type TraceLine,
  TracePlayer,
  stripControls,
} from '../../core/index.js';
import { deviationText } from '../../text/replayText.js';
import { usageError } from '../arguments/optionValues.js';
import type { RequestOf } from '../arguments/parseArguments.js';
import { ExitCode } from '../output/exitCode.js';
import { readText } from '../system/files.js';
import { type Io, readLines } from '../system/io.js';

/**
 * @returns the recorded agent's exit code if it exited by itself, `failed` if the client left before the end
 * @throws HostError `usage`
 */
export async function replayTrace({ file, process }: RequestOf<'replay'>, io: Io): Promise<number> {
  const trace = parseTrace(await readText(file, 'The trace'));
  const steps = chosenProcess(trace, process);
  const describer = describerOf(trace);
  const report = (text: string): void => void io.stderr.write(`acp-host replay: ${stripControls(text)}\n`);
  return new Promise((resolve) => {
    const player = new TracePlayer(steps, describer, {
      write: (line) => void io.stdout.write(`${line}\n`),
      writeStderr: (line) => void io.stderr.write(`${line}\n`),
      tell: (deviation) => report(deviationText(deviation)),
      exit: resolve,
    });
    player.start();
    readLines(io.stdin, {
      onLine: (line) => player.receive(line),
      onLineTooLong: (head) => report(`Ignored a line that is too long: ${head.slice(0, 200)}`),
      onEnd: () => resolve(player.end() ? ExitCode.ended : ExitCode.failed),
    });
  });
}

function describerOf({ header }: Trace): FrameDescriber {
  const describer = frameDescriberOf(header?.protocol);
  if (describer !== undefined) return describer;
  throw usageError(`The trace uses the protocol ${header?.protocol}, which this acp-host does not know. Update acp-host`);
}

/** @param number 1-based; if it is undefined, the process with the most messages, because the others are failed starts and resumptions */
function chosenProcess(trace: Trace, number: number | undefined): readonly TraceLine[] {
  const processes = processesOf(trace);
  const chosen = number === undefined ? processes.toSorted((one, other) => other.length - one.length)[0] : processes[number - 1];
  if (chosen !== undefined) return chosen;
  throw usageError(
    number === undefined ? 'The trace contains no messages' : `The trace has no process ${number}; it contains ${processes.length}`,
  );
}
