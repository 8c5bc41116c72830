/** Starts a stand-in as a separate process, and reads what it records. */
import { execFile, spawn } from 'node:child_process';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import type { ServerConnectOptions } from '../../src/core/backends/agentBackend.js';
import { readLines } from '../agents/lines.mjs';
import { type Collected, collect } from '../backends/seam.js';

const noteSchema = z.looseObject({
  event: z.string(),
  url: z.optional(z.string()),
  frame: z.optional(z.record(z.string(), z.unknown())),
  dropped: z.optional(z.boolean()),
  headers: z.optional(z.record(z.string(), z.unknown())),
});
export type Note = z.output<typeof noteSchema>;

export interface StandIn {
  readonly url: string;
  readonly notes: Collected<Note>;
  /** The frames that it received, in order. */
  frames(): readonly Readonly<Record<string, unknown>>[];
  signal(signal: NodeJS.Signals): void;
  /** Resolves when it has stopped itself (SIGSTOP). A SIGCONT from before that moment continues nothing. */
  suspended(): Promise<void>;
  /** Kills it without a close, as when its machine loses power. */
  kill(): Promise<void>;
}

export interface StandInOptions {
  /** A module to load before it. */
  readonly preload?: string;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export async function startStandIn(
  t: Pick<TestContext, 'after'>,
  name: string,
  args: readonly string[] = [],
  { preload, cwd, env }: StandInOptions = {},
): Promise<StandIn> {
  const file = fileURLToPath(new URL(`./${name}.mjs`, import.meta.url));
  const before = preload === undefined ? [] : ['--import', preload];
  const child = spawn(process.execPath, [...before, file, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, ...env },
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = (): Promise<void> => {
    child.kill('SIGKILL');
    return gone;
  };
  t.after(kill);
  const notes = collect<Note>();
  readLines(child.stdout, (line) => notes.add(noteSchema.parse(JSON.parse(line))));
  const { url = '' } = await notes.until('address of the stand-in', ({ event }) => event === 'ready');
  return {
    url,
    notes,
    kill,
    signal: (signal) => void child.kill(signal),
    // A process that stops itself can't tell, and Node does not report it.
    async suspended() {
      while (child.exitCode === null && child.signalCode === null) {
        const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=', '-p', String(child.pid)]);
        if (stdout.startsWith('T')) return;
      }
    },
    frames: () => notes.all.flatMap(({ frame }) => (frame === undefined ? [] : [frame])),
  };
}

/** The options that select the server. */
export function serverAt(
  url: string,
  o: { readonly pin?: string; readonly key?: string } = {},
): Pick<ServerConnectOptions, 'agent' | 'readKey'> {
  return {
    agent: { label: 'Stand-in', url, ...(o.pin === undefined ? {} : { pin: o.pin }) },
    readKey: () => Promise.resolve(o.key),
  };
}
