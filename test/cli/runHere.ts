/**
 * The command line in the test's own process, where its matter is what a command does and says: a process for each command takes a fifth of
 * a second. The engine and the agents are processes of their own, as always.
 */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCommandLine } from '../../src/cli/commandLine.js';
import type { CliResult, Place } from './cliProcess.js';

let running: { readonly workspace: string; readonly end: () => void; count: number } | undefined;

/** Does what `runCli` does. Commands that run at the same time share a place, because a process has one current folder and one home. */
export async function runHere(
  place: Pick<Place, 'workspace' | 'env'>,
  args: readonly string[],
  o: { readonly stdin?: string | Uint8Array; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<CliResult> {
  const stdin = Reflect.construct(PassThrough, []) as NodeJS.ReadStream & PassThrough;
  const [stdout, stderr] = [stream(), stream()];
  const said = Promise.all([text(stdout), text(stderr)]);
  stdin.end(o.stdin ?? '');
  enter(place);
  try {
    const env = { ...place.env, ...o.env };
    const code = await runCommandLine(args, { stdin, stdout, stderr, env, platform: process.platform });
    stdout.end();
    stderr.end();
    const [out, err] = await said;
    return { code, stdout: out, stderr: err };
  } finally {
    leave();
  }
}

function stream(): NodeJS.WriteStream & PassThrough {
  return Reflect.construct(PassThrough, []) as NodeJS.WriteStream & PassThrough;
}

function enter({ workspace, env }: Pick<Place, 'workspace' | 'env'>): void {
  running ??= { workspace, end: moveTo(workspace, env['HOME']), count: 0 };
  assert.equal(workspace, running.workspace);
  running.count += 1;
}

function leave(): void {
  if (running === undefined || (running.count -= 1) > 0) return;
  running.end();
  running = undefined;
}

/** @returns a function that goes back */
function moveTo(folder: string, home: string | undefined): () => void {
  const before = { folder: process.cwd(), home: process.env['HOME'] };
  process.chdir(folder);
  setHome(home);
  return () => {
    process.chdir(before.folder);
    setHome(before.home);
  };
}

function setHome(home: string | undefined): void {
  if (home === undefined) delete process.env['HOME'];
  else process.env['HOME'] = home;
}
