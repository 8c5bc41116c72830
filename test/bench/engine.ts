/**
 * `npm run bench -- engine`: what it costs that conversations are in a process of their own. Medians. Processor time is that of the engine
 * and of the front end together, less that of an engine whose conversation nobody shows; it is compared with the time to parse the agent's
 * lines once.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import type * as core from '../../src/core/index.js';
import { atMost, type Goal, median, printTable, writeReport } from './report.js';
import { blocks, type Kind } from './wireMessages.js';

const root = path.resolve(import.meta.dirname, '../..');
const library = pathToFileURL(path.join(root, 'dist/index.js')).href;
// The bundle, because it finds the bundle of the engine beside it.
const { EngineAccess, EngineClient, isSettled } = (await import(library)) as typeof core;

const limits = { small: 0.5, mix: 1, snapshotMs: 300, idleMegabytes: 60, idleCpuPercent: 0.1 } as const;
const rounds = 7;
const updates = 10_000;
const idleMs = 5_000;

const folder = await mkdtemp(path.join(tmpdir(), 'acp-host-bench-'));
const agent = path.join(root, 'out/bench/agent.cjs');
await esbuild.build({
  entryPoints: [path.join(root, 'test/bench/wireAgent.ts')],
  outfile: agent,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  logLevel: 'warning',
});

const definition = { id: 'flood', label: 'Flood', command: process.execPath, args: [agent], env: {}, protocol: 'acp' };

async function connect(): Promise<core.EngineClient> {
  const access = new EngineAccess(
    { stateFolder: path.join(folder, 'state'), version: '0', program: 'terminal', env: process.env },
    'process',
  );
  const client = new EngineClient({
    connect: () => access.connect(),
    attaching: { program: 'terminal', use: 'share', keepAliveMs: 600_000 },
    services: {
      peek_agent: () => Promise.resolve({ id: definition.id, label: definition.label, isFallback: false }),
      choose_agent: () =>
        Promise.resolve({
          definition,
          isFallback: false,
          baseEnv: process.env,
          clientInfo: { name: 'bench', title: 'Bench', version: '0' },
          optionDefaults: [],
        }),
    },
  });
  await client.connected();
  return client;
}

function reached(conversation: core.ConversationClient, holds: (state: core.ConversationState) => boolean): Promise<void> {
  return new Promise((resolve) => {
    if (holds(conversation.state)) return resolve();
    const subscription = conversation.onChange(({ state }) => {
      if (!holds(state)) return;
      subscription.dispose();
      resolve();
    });
  });
}

const client = await connect();
const { pid } = await client.call('summary', {});

/** The processor time of a process, in milliseconds; proc(5) counts hundredths of a second. */
async function processorTime(of: number): Promise<number> {
  const stat = await readFile(`/proc/${of}/stat`, 'latin1');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

/** @returns the processor time of both ends, in milliseconds */
async function flood(kind: Kind, isShown: boolean): Promise<number> {
  const conversation = client.open({ cwd: folder });
  const { id } = conversation.state;
  await conversation.execute({ type: 'open' });
  const before = await processorTime(pid);
  const own = process.cpuUsage();
  const content = [{ type: 'text' as const, text: `${kind} ${updates}` }];
  const ended = new Promise<void>((resolve) => {
    let ran = false;
    const subscription = client.list.onChange(({ state }) => {
      const activity = state.conversations.find((one) => one.id === id)?.activity;
      ran ||= activity === 'busy';
      if (!ran || activity !== 'idle') return;
      subscription.dispose();
      resolve();
    });
  });
  await conversation.execute({ type: 'send', content });
  if (!isShown) await client.release(id);
  await ended;
  if (isShown) await reached(conversation, (state) => isSettled(state) && state.session?.turn.type === 'idle');
  const { user, system } = process.cpuUsage(own);
  const used = (await processorTime(pid)) - before + (user + system) / 1000;
  if (isShown) await client.release(id);
  return used;
}

/** The time to parse each line once, in milliseconds. */
function parsing(kind: Kind): number {
  const lines = Buffer.concat([...blocks(kind, updates)].map((block) => Buffer.from(block)))
    .toString()
    .split('\n')
    .filter((line) => line !== '');
  const own = process.cpuUsage();
  for (const line of lines) JSON.parse(line);
  const { user, system } = process.cpuUsage(own);
  return (user + system) / 1000;
}

async function hop(kind: 'small' | 'mix'): Promise<Goal> {
  const [shown, alone, parsed]: [number[], number[], number[]] = [[], [], []];
  for (const isShown of [true, false]) await flood(kind, isShown);
  parsing(kind);
  for (let round = 0; round < rounds; round++) {
    shown.push(await flood(kind, true));
    alone.push(await flood(kind, false));
    parsed.push(parsing(kind));
  }
  const [both, one, parse] = [median(shown), median(alone), median(parsed)];
  printTable(
    `${updates} updates, ${kind}, in ms of processor time`,
    ['', 'ms'],
    [
      ['engine and front end', both],
      ['engine alone', one],
      ['parsing the lines', parse],
    ],
  );
  return atMost(`${kind}.hop/parse`, (both - one) / parse, limits[kind]);
}

/** Until another front end has a conversation with as many items as there are updates in the mix. */
async function snapshot(): Promise<Goal> {
  const conversation = client.open({ cwd: folder });
  await conversation.execute({ type: 'send', content: [{ type: 'text', text: `mix ${updates * 4}` }] });
  await reached(conversation, (state) => state.session !== undefined && isSettled(state) && state.session.turn.type === 'idle');
  const items = conversation.state.session?.items.length ?? 0;
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const other = await connect();
    const begin = performance.now();
    const there = other.open({ cwd: folder, id: conversation.state.id });
    await reached(there, (state) => state.session?.items.length === items);
    times.push(performance.now() - begin);
    other.dispose();
  }
  printTable('A snapshot', ['items', 'ms'], [[String(items), median(times)]]);
  await client.release(conversation.state.id);
  return atMost('snapshot-ms', median(times), limits.snapshotMs);
}

async function idle(): Promise<readonly Goal[]> {
  const other = await mkdtemp(path.join(tmpdir(), 'acp-host-bench-'));
  const access = new EngineAccess({ stateFolder: other, version: '0', program: 'terminal', env: process.env }, 'process');
  const wire = await access.connect();
  const summary = (await wire.call('attach', { program: 'terminal', use: 'share', keepAliveMs: 0 })) as core.EngineSummary;
  await delay(1_000);
  const before = await processorTime(summary.pid);
  await delay(idleMs);
  const percent = (((await processorTime(summary.pid)) - before) / idleMs) * 100;
  const megabytes = Number(/^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${summary.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  const closed = new Promise<void>((resolve) => wire.onClosed(() => resolve()));
  // The engine may be gone before its answer arrives.
  await wire.call('leave', {}).catch(() => {});
  await closed;
  await rm(other, { recursive: true });
  printTable('An idle engine', ['MB', '% of a processor'], [[String(Math.round(megabytes)), percent]]);
  return [atMost('idle-mb', megabytes, limits.idleMegabytes), atMost('idle-cpu-percent', percent, limits.idleCpuPercent)];
}

const goals = [await hop('small'), await hop('mix'), await snapshot(), ...(await idle())];
await client.stop();
client.dispose();
await rm(folder, { recursive: true, force: true });
writeReport('engine', goals);
