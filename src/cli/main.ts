import { messageOf } from '../core/index.js';
import { runCommandLine } from './commandLine.js';
import { ExitCode } from './output/exitCode.js';
import { flushed, type Io } from './system/io.js';

const io: Io = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: process.env, platform: process.platform };

let outputError: NodeJS.ErrnoException | undefined;
io.stdout.on('error', (error: NodeJS.ErrnoException) => (outputError ??= error));
// A turn must not fail because stderr is not read, or because the disk is full.
io.stderr.on('error', () => {});
const exitCode = await runCommandLine(process.argv.slice(2), io);
await Promise.all([flushed(io.stdout), flushed(io.stderr)]);
process.exit(outputError === undefined ? exitCode : exitCodeWithout(outputError, exitCode));

/** A reader that leaves early (`| head`) is not an error; a run then ends by itself. */
function exitCodeWithout(error: NodeJS.ErrnoException, exitCode: number): number {
  if (error.code === 'EPIPE') return exitCode;
  io.stderr.write(`acp-host: The output could not be written: ${messageOf(error)}\n`);
  return ExitCode.failed;
}
