/**
 * The cost of the wire compared with what it could be: `node --import tsx test/bench/wire.ts [--json FILE] [--only NAME] [--rounds N]`.
 * Every figure is the median of five runs, each in a separate process with its own agent; the hosts take turns, so that other load of the
 * machine affects all of them. Hosts and agent are bundled as in the package, so nothing measures TypeScript. Processor time is that of the
 * host alone.
 */
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as esbuild from 'esbuild';
import { type Goal, atMost, median, printTable, writeReport } from './report.js';
import type { Figures, Scenario } from './wireClient.js';
import type { Kind } from './wireMessages.js';

const run = promisify(execFile);
const folder = import.meta.dirname;
const built = join(folder, '../../out/bench');

/**
 * The name in the tables, and the module and export. `path` is the subject of the goals: splitter, dispatch, validation, and the input of the
 * reducer. `host` adds what a front end has: the state of the session, reduced for every frame and retained.
 */
const hosts = {
  parse: ['wirePlain', 'parseOnly'],
  bare: ['wirePlain', 'bareDispatcher'],
  sdk: ['wireSdk', 'sdk'],
  rpc: ['wireRpc', 'plainRpc'],
  path: ['wireOwn', 'ownPath'],
  host: ['wireOwn', 'ownHost'],
  peer: ['wirePeer', 'ownPeer'],
} as const;
type Host = keyof typeof hosts;

async function build(): Promise<void> {
  await mkdir(built, { recursive: true });
  const common = {
    bundle: true,
    minify: !process.argv.includes('--readable'),
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    logLevel: 'warning',
    // A script without a path does not find the watchdog, so the hosts are measured without it.
    logOverride: { 'empty-import-meta': 'silent' },
  } as const;
  await esbuild.build({ ...common, entryPoints: [join(folder, 'wireAgent.ts')], outfile: join(built, 'agent.cjs') });
  await Promise.all(
    Object.entries(hosts).map(([name, [module, client]]) =>
      esbuild.build({
        ...common,
        stdin: {
          contents: `import { run } from './wireClient.js'; import { ${client} } from './${module}.js'; void run(${client});`,
          resolveDir: folder,
          loader: 'ts',
        },
        outfile: join(built, `${name}.cjs`),
      }),
    ),
  );
}

async function measure(host: Host, scenario: Scenario): Promise<Figures> {
  const { stdout } = await run(
    process.execPath,
    [join(built, `${host}.cjs`), JSON.stringify(scenario), process.execPath, join(built, 'agent.cjs')],
    { timeout: 120_000 },
  );
  return JSON.parse(stdout) as Figures;
}

type Medians = Readonly<Record<Host, Figures>>;

const option = (name: string): string | undefined =>
  process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined;
const rounds = Number(option('--rounds') ?? 5);

/** Prints one table and returns the medians. */
async function compare<H extends Host>(
  title: string,
  names: readonly H[],
  scenario: Scenario,
  columns: readonly (keyof Figures)[],
): Promise<Pick<Medians, H>> {
  const samples = new Map<H, Figures[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : [...names].reverse()) samples.get(name)?.push(await measure(name, scenario));
  }
  const rows: (string | number)[][] = [];
  const medians: Partial<Record<H, Figures>> = {};
  for (const [name, runs] of samples) {
    const first = runs[0];
    if (first === undefined) continue;
    const middle: { -readonly [Key in keyof Figures]: number } = { ...first };
    for (const key of Object.keys(first) as (keyof Figures)[]) middle[key] = median(runs.map((figures) => figures[key]));
    medians[name] = middle;
    rows.push([name, ...columns.map((column) => middle[column])]);
  }
  printTable(title, ['', ...columns], rows);
  return medians as Pick<Medians, H>;
}

const flood = (kind: Kind, turns: number, count: number, probe = false): Scenario => ({ type: 'flood', kind, turns, count, probe });
const cpu = ['cpuMs', 'coldCpuMs', 'wallMs', 'updates', 'rssMb', 'loopDelayMaxMs'] as const;

const parts: Readonly<Record<string, () => Promise<readonly Goal[]>>> = {
  async small() {
    const {
      parse,
      sdk,
      path: own,
    } = await compare(
      '20 turns of 5,000 updates with 40 bytes of text',
      ['parse', 'bare', 'rpc', 'sdk', 'peer', 'path', 'host'],
      flood('small', 20, 5000),
      cpu,
    );
    return [atMost('small.cpu/parse', own.cpuMs / parse.cpuMs, 1.3), atMost('small.cpu/sdk', own.cpuMs / sdk.cpuMs, 0.15)];
  },
  async mix() {
    const {
      parse,
      sdk,
      path: own,
    } = await compare(
      '20 turns of 5,000 updates, a realistic mix',
      ['parse', 'bare', 'rpc', 'sdk', 'peer', 'path', 'host'],
      flood('mix', 20, 5000),
      cpu,
    );
    return [atMost('mix.cpu/parse', own.cpuMs / parse.cpuMs, 1.2), atMost('mix.cpu/sdk', own.cpuMs / sdk.cpuMs, 0.2)];
  },
  async latency() {
    const {
      bare,
      sdk,
      path: own,
    } = await compare(
      'answers under that flood, 2 turns of 25,000',
      ['bare', 'rpc', 'sdk', 'peer', 'path', 'host'],
      flood('mix', 2, 25_000, true),
      ['latencyP50', 'latencyP99', 'cpuMs'],
    );
    return [
      atMost('latency.p50/bare', own.latencyP50 / bare.latencyP50, 1.5),
      atMost('latency.p50/sdk', own.latencyP50 / sdk.latencyP50, 0.1),
    ];
  },
  async large() {
    const mega = await compare('100 lines of 1 MB', ['parse', 'bare', 'rpc', 'path', 'host'], flood('1m', 1, 100), cpu);
    const giant = await compare('4 lines of 32 MiB', ['parse', 'bare', 'rpc', 'path', 'host'], flood('32m', 1, 4), cpu);
    return [
      atMost('1m.cpu/parse', mega.path.cpuMs / mega.parse.cpuMs, 1.2),
      atMost('32m.cpuPerByte/1m', giant.path.cpuMs / (4 * 32) / (mega.path.cpuMs / 100), 1.3),
    ];
  },
  async slow() {
    const { sdk, peer } = await compare(
      'a consumer that takes 1 ms per update, after 5 s',
      ['sdk', 'rpc', 'peer'],
      { type: 'slow', kind: 'mix', forMs: 5000 },
      ['backlog', 'rssMb', 'cpuMs', 'updates'],
    );
    return [atMost('slow.backlog', peer.backlog, 1200), atMost('slow.rss/sdk', peer.rssMb / sdk.rssMb, 0.2)];
  },
  async requests() {
    const all = await compare(
      '10,000 requests at once, 300 bytes each',
      ['rpc', 'peer'],
      { type: 'requests', count: 10_000, bodyBytes: 300, stallMs: 0 },
      ['cpuMs', 'wallMs', 'rssMb', 'stdinBufferBytes'],
    );
    const stalled = await compare(
      '10,000 requests of 4 KB to an agent that does not read for 300 ms',
      ['rpc', 'peer'],
      { type: 'requests', count: 10_000, bodyBytes: 4096, stallMs: 300 },
      ['cpuMs', 'wallMs', 'rssMb', 'stdinBufferBytes'],
    );
    return [
      atMost('requests.cpu/rpc', all.peer.cpuMs / all.rpc.cpuMs, 0.5),
      atMost('requests.stdinBufferBytes', stalled.peer.stdinBufferBytes, 128 * 1024),
    ];
  },
};

await build();
const only = option('--only');
const goals: Goal[] = [];
for (const [name, part] of Object.entries(parts)) if (only === undefined || only === name) goals.push(...(await part()));
writeReport('wire', goals);
