/** What every measured host implements, and the program around it: runs one scenario in this process and prints its figures. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterPrompt } from '../../src/core/backends/acp/lateMessages.js';
import type { Kind } from './wireMessages.js';
import { percentile } from './report.js';

export type Scenario =
  /** Turns of `count` updates, one after another; with `probe`, requests are sent one after another meanwhile. */
  | { readonly type: 'flood'; readonly kind: Kind; readonly turns: number; readonly count: number; readonly probe: boolean }
  /** A consumer that takes 1 ms per update, looked at after a while. */
  | { readonly type: 'slow'; readonly kind: Kind; readonly forMs: number }
  /** Requests all at once; with `stallMs`, to an agent that does not read for that long. */
  | { readonly type: 'requests'; readonly count: number; readonly bodyBytes: number; readonly stallMs: number };

export interface Figures {
  /** CPU of this process, after the warm-up where there is one. */
  readonly cpuMs: number;
  /** CPU of the first `count` updates: most of it goes into compiling the host itself. */
  readonly coldCpuMs: number;
  readonly wallMs: number;
  readonly updates: number;
  readonly rssMb: number;
  /** Of the probing requests, in milliseconds. */
  readonly latencyP50: number;
  readonly latencyP99: number;
  readonly loopDelayMaxMs: number;
  readonly backlog: number;
  readonly stdinBufferBytes: number;
}

/** An agent with an open session. */
export interface Opened {
  /** Resolves at the end of the turn. */
  prompt(text: string): Promise<unknown>;
  /** A small request, sent as `session/set_mode`. */
  probe?(n: number): Promise<unknown>;
  /** Any request. */
  request?(params: object): Promise<unknown>;
  notify?(method: string, params: object): void;
  /** Bytes that Node holds for the agent's stdin. */
  stdinBuffer?(): number;
  close(): void;
}

export interface Client {
  /** @param onUpdate called for each update; where it returns a promise, the update is not done before it settles */
  open(agent: readonly string[], onUpdate: () => void | Promise<void>): Promise<Opened>;
}

export async function run(client: Client): Promise<void> {
  const [scenario, ...agent] = process.argv.slice(2);
  const figures = await measure(client, JSON.parse(scenario ?? '') as Scenario, agent);
  process.stdout.write(`${JSON.stringify(figures)}\n`, () => process.exit(0));
}

async function measure(client: Client, scenario: Scenario, agent: readonly string[]): Promise<Figures> {
  let updates = 0;
  let done = 0;
  let latest: Promise<void> = Promise.resolve();
  const slowly = (): Promise<void> => {
    updates++;
    latest = latest.then(() => new Promise((resolve) => setTimeout(resolve, 1))).then(() => void done++);
    return latest;
  };
  const delay = new LoopDelay();
  /** The agent has sent all of the turn by then, and what follows is a wait: watching that would cost more than the updates did. */
  let watchedUpdates = Infinity;
  let heardLast = 0;
  const fast = (): void => {
    updates++;
    if (updates !== watchedUpdates) return;
    heardLast = performance.now();
    delay.stop();
  };
  const opened = await client.open(agent, scenario.type === 'slow' ? slowly : fast);
  const coldCpuMs = scenario.type === 'flood' && scenario.turns > 1 ? await warmUp(opened, scenario) : 0;
  updates = 0;
  const latencies: number[] = [];
  let stdinBufferBytes = 0;
  delay.start();
  const startCpu = process.cpuUsage();
  const startWall = performance.now();

  if (scenario.type === 'flood') {
    for (let turn = 0; turn < scenario.turns; turn++) {
      watchedUpdates = updates + scenario.count;
      delay.start();
      const ended = opened.prompt(`${scenario.kind} ${scenario.count}`);
      if (scenario.probe) await probeUntil(ended, opened, latencies);
      await ended;
      await rest(heardLast);
    }
  } else if (scenario.type === 'slow') {
    void opened.prompt(`${scenario.kind} 1000000`);
    await new Promise((resolve) => setTimeout(resolve, scenario.forMs));
  } else stdinBufferBytes = await requestAll(opened, scenario);

  const cpuMs = cpuSince(startCpu);
  delay.stop();
  const figures: Figures = {
    cpuMs,
    coldCpuMs,
    wallMs: performance.now() - startWall,
    updates,
    rssMb: process.memoryUsage.rss() / 1024 / 1024,
    latencyP50: percentile(latencies, 0.5),
    latencyP99: percentile(latencies, 0.99),
    loopDelayMaxMs: delay.maxMs,
    backlog: updates - done,
    stdinBufferBytes,
  };
  opened.close();
  return figures;
}

/** The longest time for which the event loop did not run, while that is watched. */
class LoopDelay {
  maxMs = 0;
  /** A stopped one would count the time until it starts again. */
  #histogram: ReturnType<typeof monitorEventLoopDelay> | undefined;

  start(): void {
    this.stop();
    this.#histogram = monitorEventLoopDelay({ resolution: 1 });
    this.#histogram.enable();
  }

  stop(): void {
    this.#histogram?.disable();
    this.maxMs = Math.max(this.maxMs, (this.#histogram?.max ?? 0) / 1e6);
    this.#histogram = undefined;
  }
}

function cpuSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/**
 * A session of ours ends its turn when the agent has been silent for a while. The other hosts rest as long: after that, the processor and its
 * caches are as cold for all of them.
 * @param since when the agent was heard last
 */
function rest(since: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, afterPrompt.silenceMs - (performance.now() - since)));
}

const WARM_UP_TURNS = 4;

/** Measures the first seconds separately, because a host runs for hours. @returns the CPU of the first turn, in milliseconds */
async function warmUp({ prompt }: Opened, { kind, count }: Extract<Scenario, { type: 'flood' }>): Promise<number> {
  const start = process.cpuUsage();
  let cold = 0;
  for (let turn = 0; turn < WARM_UP_TURNS; turn++) {
    await prompt(`${kind} ${count}`);
    if (turn === 0) cold = cpuSince(start);
  }
  return cold;
}

async function probeUntil(turn: Promise<unknown>, { probe }: Opened, latencies: number[]): Promise<void> {
  let over = false;
  void turn.then(() => (over = true));
  for (let n = 0; !over && probe !== undefined; n++) {
    const sent = performance.now();
    await probe(n);
    latencies.push(performance.now() - sent);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

async function requestAll(
  { request, notify, stdinBuffer }: Opened,
  { count, bodyBytes, stallMs }: Extract<Scenario, { type: 'requests' }>,
): Promise<number> {
  if (request === undefined) throw new Error('this host sends no requests');
  const body = { sessionId: 's1', modeId: 'a', text: 'x'.repeat(bodyBytes) };
  let most = 0;
  const look = (): void => void (most = Math.max(most, stdinBuffer?.() ?? 0));
  if (stallMs > 0) {
    notify?.('pause', { ms: stallMs });
    // The agent must have read that before the rest is sent.
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const all = Array.from({ length: count }, () => request(body));
  look();
  const looking = setInterval(look, 5);
  await Promise.all(all);
  clearInterval(looking);
  return most;
}
