/**
 * `npm run bench -- recovery`: how long a lost agent is unavailable, the cost of the journal and of an idle host, and large data. Medians.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type AgentHost,
  createAgentHost,
  createJournalStore,
  type JournalStore,
  nullLogger,
  readConversation,
  Redactor,
  type Session,
  type SessionEvent,
} from '../../src/core/index.js';
import { resumedAfterRestart } from '../core/host/launch.js';
import { descendants } from '../real/processes.js';
import { benchLimits } from './limits.js';
import { benchListing } from './listing.js';
import { conversationOf } from './recoveryEvents.js';
import { atMost, type Goal, median, printTable, writeReport } from './report.js';

const limits = { recoveryMs: 300, appendUs: 50, openMs: 1_000, idleCpuPercent: 1, toolOutputBytes: 3_000_000 } as const;
/** Many, because the start of the agent is subtracted, which takes several times as long, and varies. */
const rounds = 35;
const eventCount = 100_000;
/** The number of events of a fast agent in one frame. */
const batchSize = 8;
const idleAgents = 10;
/** The garbage collector runs in some of them. The median leaves these out. */
const idleWindows = 6;
const idleWindowMs = 2_000;

const demoAgent = path.resolve(import.meta.dirname, '../../dist/demo-agent.js');
const folder = await mkdtemp(path.join(tmpdir(), 'acp-host-bench-'));
const text = (words: string) => [{ type: 'text' as const, text: words }];

const createStore = (name: string): JournalStore =>
  createJournalStore({ directory: path.join(folder, name), redactor: new Redactor(), log: nullLogger });

function createHost(): AgentHost {
  return createAgentHost({
    agent: {
      id: 'demo',
      label: 'Demo',
      command: process.execPath,
      args: [demoAgent],
      env: { ACP_HOST_DEMO_STATE: path.join(folder, 'state') },
      protocol: 'acp',
    },
    cwd: folder,
    clientInfo: { name: 'bench', title: 'Bench', version: '0.0.0' },
    terminalAuth: false,
    restart: { firstDelayMs: 50, maxDelayMs: 50, starts: 1_000 },
  });
}

/** @param id of the conversation */
function openSaved(host: AgentHost, journals: JournalStore, id: string): Promise<Session> {
  return host.newSession({ journal: (session, isNew) => journals.open(id, session, isNew) });
}

/** Measures from the start of the process to its answer to `initialize`, without a host. */
async function agentStartMs(): Promise<number> {
  const startedAt = performance.now();
  const agent = spawn(process.execPath, [demoAgent], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, ACP_HOST_DEMO_STATE: path.join(folder, 'state') },
  });
  agent.stdin.write(
    `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 1, clientCapabilities: {} } })}\n`,
  );
  await once(createInterface({ input: agent.stdout }), 'line');
  const ms = performance.now() - startedAt;
  agent.kill('SIGKILL');
  await once(agent, 'close');
  return ms;
}

/** Measures from the kill until the session can be used again, without the delay that the host adds on purpose. */
async function recoveryMs(
  host: AgentHost,
  session: Session,
  prompt: string | undefined,
): Promise<{ readonly ms: number; readonly again: Session }> {
  const [agent] = (await descendants(demoAgent)).filter(({ parent, state }) => parent === process.pid && !state.startsWith('Z'));
  if (agent === undefined) throw new Error('the agent has no process');
  if (prompt !== undefined) {
    const streams = new Promise<void>((resolve) => session.onEvent(({ type }) => type === 'message' && resolve()));
    void session.prompt(text(prompt));
    await streams;
  }
  const recovered = usableAgain(host, session);
  const killedAt = performance.now();
  process.kill(agent.pid, 'SIGKILL');
  const { again, waitedMs } = await recovered;
  return { ms: performance.now() - killedAt - waitedMs, again };
}

/** Opens the session again when the agent was restarted. */
async function usableAgain(host: AgentHost, session: Session): Promise<{ readonly again: Session; readonly waitedMs: number }> {
  let waitedMs = 0;
  const subscription = host.onStatus((status) => {
    if (status.state === 'reconnecting' && status.retryAt !== undefined) waitedMs = status.retryAt - status.since;
  });
  const again = await resumedAfterRestart(host, session);
  subscription.dispose();
  return { again, waitedMs };
}

async function benchRecovery(): Promise<Goal[]> {
  const host = createHost();
  let session = await openSaved(host, createStore('recovery'), 'c');
  for (let turn = 0; turn < 10; turn++) await session.prompt(text(`turn ${turn} is no command`));
  const [starts, idle, midTurn]: [number[], number[], number[]] = [[], [], []];
  // Alternated, so that other load of the machine affects all of them.
  for (let round = 0; round < rounds; round++) {
    starts.push(await agentStartMs());
    for (const [all, prompt] of [
      [idle, undefined],
      [midTurn, 'long 100'],
    ] as const) {
      const { ms, again } = await recoveryMs(host, session, prompt);
      all.push(ms);
      session = again;
    }
  }
  const startMs = median(starts);
  const beyondStart = (all: readonly number[]): number[] => all.map((ms) => ms - startMs);
  await host.stop({ force: true });
  host.dispose();
  printTable(
    'recovery, ms beyond the back-off and the start of the agent',
    ['', 'median', 'worst'],
    [
      ['the start of the agent (not counted)', startMs, Math.max(...starts)],
      ['killed while idle', median(beyondStart(idle)), Math.max(...beyondStart(idle))],
      ['killed in mid-turn', median(beyondStart(midTurn)), Math.max(...beyondStart(midTurn))],
    ],
  );
  return [
    atMost('recovery-idle-ms', median(beyondStart(idle)), limits.recoveryMs),
    atMost('recovery-mid-turn-ms', median(beyondStart(midTurn)), limits.recoveryMs),
  ];
}

/** Counts the file operations from now on. */
async function countFileCalls(): Promise<Record<'write' | 'sync' | 'datasync', number>> {
  const calls = { write: 0, sync: 0, datasync: 0 };
  const handle = await open(folder, 'r');
  const methods: Record<string, unknown> = Object.getPrototypeOf(handle);
  for (const name of ['write', 'sync', 'datasync'] as const) {
    const original = methods[name];
    if (typeof original !== 'function') throw new Error(`Node has no FileHandle.${name}`);
    methods[name] = function (this: unknown, ...args: unknown[]): unknown {
      calls[name]++;
      return Reflect.apply(original, this, args);
    };
  }
  await handle.close();
  return calls;
}

async function benchJournal(): Promise<Goal[]> {
  const events = conversationOf(eventCount);
  const calls = await countFileCalls();
  const store = createStore('journal');
  const [inCall, whole, opened]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < 5; round++) {
    const id = `c${round}`;
    const journal = store.open(id, { id: 's', sessionId: 's', agentId: 'agent', cwd: folder, createdAt: 1 }, true);
    const startedAt = performance.now();
    for (let at = 0; at < events.length; at += batchSize) {
      const batch = events.slice(at, at + batchSize);
      journal.append(batch);
      // As in a real session, where the next events arrive one frame later.
      if (at % (batchSize * 16) === 0) await journal.flush();
    }
    inCall.push(performance.now() - startedAt);
    await journal.close();
    whole.push(performance.now() - startedAt);
    const openedAt = performance.now();
    const [state] = await readConversation(store, id);
    opened.push(performance.now() - openedAt);
    if (state === undefined || state.items.length === 0) throw new Error('nothing was kept');
  }
  if (calls.write === 0) throw new Error('no write was seen, so what is counted is not what is done');
  const perEvent = (values: readonly number[]): number => (median(values) * 1_000) / eventCount;
  printTable(
    `journal, ${eventCount} events, ${batchSize} at a time`,
    ['', 'median'],
    [
      ['append, µs per event', perEvent(inCall)],
      ['until all is with the system, µs per event', perEvent(whole)],
      ['writes per event', calls.write / eventCount / 5],
      ['opening, ms', median(opened)],
    ],
  );
  return [
    atMost('journal-append-us', perEvent(whole), limits.appendUs),
    atMost('journal-fsyncs', calls.sync + calls.datasync, 0),
    atMost('journal-open-100k-ms', median(opened), limits.openMs),
  ];
}

/** A tool that sends its whole output with each update, over several seconds. */
async function benchToolOutput(): Promise<Goal[]> {
  const store = createStore('tool');
  const journal = store.open('c', { id: 's', sessionId: 's', agentId: 'agent', cwd: folder, createdAt: 1 }, true);
  const whole = Array.from({ length: 10_000 }, (_, line) => `line ${line} of the build `.padEnd(104, '.')).join('\n');
  journal.append([{ type: 'turn_started', at: 1, turnId: 't1', content: text('build') }]);
  for (let update = 1; update <= 10_000; update++) {
    journal.append([toolOutput(whole.slice(0, update * 105), update < 10_000 ? 'in_progress' : 'completed')]);
    if (update % 20 === 0) await delay(10);
  }
  await journal.close();
  const files = await readdir(path.join(folder, 'tool'));
  const sizes = await Promise.all(files.map(async (file) => (await stat(path.join(folder, 'tool', file))).size));
  return [
    atMost(
      'journal-tool-output-bytes',
      sizes.reduce((sum, size) => sum + size, 0),
      limits.toolOutputBytes,
    ),
  ];
}

function toolOutput(output: string, status: 'in_progress' | 'completed'): SessionEvent {
  const content = [{ type: 'content' as const, content: { type: 'text' as const, text: output } }];
  return { type: 'tool', at: 2, id: 'x', toolCallId: 'x', patch: { title: 'Build', status, content } };
}

async function benchIdle(): Promise<Goal[]> {
  const store = createStore('idle');
  const hosts = Array.from({ length: idleAgents }, () => createHost());
  for (const [index, host] of hosts.entries()) await (await openSaved(host, store, `c${index}`)).prompt(text('list'));
  // By then, the work after the start is done.
  await delay(3_000);
  const percents: number[] = [];
  for (let window = 0; window < idleWindows; window++) {
    const [before, startedAt] = [process.cpuUsage(), performance.now()];
    await delay(idleWindowMs);
    const { user, system } = process.cpuUsage(before);
    percents.push((user + system) / 10 / (performance.now() - startedAt));
  }
  await Promise.all(hosts.map((host) => host.stop({ force: true })));
  for (const host of hosts) host.dispose();
  return [atMost('idle-10-agents-cpu-percent', median(percents), limits.idleCpuPercent)];
}

try {
  const goals = [
    ...(await benchRecovery()),
    ...(await benchIdle()),
    ...(await benchJournal()),
    ...(await benchToolOutput()),
    ...(await benchListing(folder)),
    ...(await benchLimits(folder)),
  ];
  writeReport('recovery', goals);
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
