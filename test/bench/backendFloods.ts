/**
 * The cost of an event of 200 bytes for each backend, from the bytes of the wire to the sink of the seam. A separate process sends the
 * flood, and its speed does not matter: only the host's processor time is measured, in a separate process, after a warm-up. The backends
 * take turns, so that other load of the machine affects all of them. The floor for pipes splits and parses lines; that for servers is `ws`
 * and JSON.parse. The agent service sends one answer per prompt: its events are answers to finished requests, which are read in the same way
 * and dropped.
 */
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import * as esbuild from 'esbuild';
import { startStandIn } from '../standIns/startStandIn.js';
import { type StandInDialect, piStandIn } from '../backends/piPeers.js';
import type { FloodScenario } from './backendHost.js';
import { atMost, type Goal, median, printTable } from './report.js';

/** 100,000 events per second of CPU. */
const microsecondsPerEvent = 10;
const rounds = 3;

const run = promisify(execFile);
const built = path.join(import.meta.dirname, '../../out/bench');
const agentAt = (file: string): readonly string[] => [process.execPath, path.join(import.meta.dirname, '../agents', file)];

type Host = Pick<FloodScenario, 'host'> & { readonly peer: readonly string[] } & (
    | { readonly server?: never }
    | { readonly server: 'agentCli' | 'agentService' }
  );

function pi(dialect: StandInDialect, folder: string): Host {
  const { command, args } = piStandIn(dialect, folder);
  return { host: dialect === 'xcsh' ? 'xcsh' : 'pi', peer: [command, ...args] };
}

/** In the order of the table; a floor is the one above that its neighbors are compared to. @param folder where the agents may write */
function hostsIn(folder: string): Readonly<Record<string, Host>> {
  return {
    'floor of a pipe': { host: 'pipeFloor', peer: agentAt('floods.mjs') },
    acp: { host: 'acp', peer: agentAt('floods.mjs') },
    'pi 0.74': pi('pi074', folder),
    'pi 0.87': pi('pi087', folder),
    xcsh: pi('xcsh', folder),
    'parrot (a test protocol)': { host: 'parrot', peer: agentAt('parrot.mjs') },
    'floor of a server': { host: 'serverFloor', server: 'agentCli', peer: ['--real'] },
    'agent-cli': { host: 'agentCli', server: 'agentCli', peer: ['--real'] },
    'agent-service': { host: 'agentService', server: 'agentService', peer: [] },
  };
}

async function build(): Promise<string> {
  await mkdir(built, { recursive: true });
  const outfile = path.join(built, 'backendHost.cjs');
  await esbuild.build({
    entryPoints: [path.join(import.meta.dirname, 'backendHost.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    logLevel: 'warning',
    // There is no watchdog beside this bundle. The processes that it starts end with its stdin.
    logOverride: { 'empty-import-meta': 'silent' },
  });
  return outfile;
}

/** @returns microseconds of CPU per event */
async function measure(program: string, { host, server, peer }: Host): Promise<number> {
  const ends: (() => unknown)[] = [];
  const t = { after: (end: unknown) => void ends.push(end as () => unknown) };
  const target = server === undefined ? peer : [(await startStandIn(t, server, peer)).url];
  try {
    const { stdout } = await run(process.execPath, [program, JSON.stringify({ host, target } satisfies FloodScenario)], {
      timeout: 120_000,
    });
    return Number(stdout);
  } finally {
    for (const end of ends) await end();
  }
}

/** @param folder where the agents may write */
export async function benchFloods(folder: string): Promise<Goal[]> {
  const program = await build();
  const samples = Object.entries(hostsIn(folder)).map(([name, host]) => ({ name, host, values: [] as number[] }));
  for (let round = 0; round < rounds; round++)
    for (const { host, values } of round % 2 === 0 ? samples : samples.toReversed()) values.push(await measure(program, host));
  let floor = Number.NaN;
  const rows: (string | number)[][] = [];
  const goals: Goal[] = [];
  for (const { name, host, values } of samples) {
    const value = median(values);
    if (host.host.endsWith('Floor')) floor = value;
    else goals.push(atMost(`${name.split(' (')[0]?.replace(' ', '-')}.cpu-us-per-event`, value, microsecondsPerEvent));
    rows.push([name, value, Math.round(1e6 / value), value / floor, values.map((one) => one.toPrecision(3)).join(' ')]);
  }
  printTable(
    `an event of 200 bytes, in microseconds of CPU (median of ${rounds} processes)`,
    ['', 'µs', 'events/s', 'of floor', 'each'],
    rows,
  );
  return goals;
}
