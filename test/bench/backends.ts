/**
 * The cost of an event for each backend, and what `acp-host serve` adds to each update of an agent: the same turns with the agent itself,
 * and through `serve`. Both ends are the host's own ACP backend, so that only the middle differs.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectBackend, createFileAccess, Redactor } from '../../src/core/index.js';
import { benchFloods } from './backendFloods.js';
import { atMost, median, printTable, writeReport } from './report.js';

const limits = { servedMsPerUpdate: 0.3 } as const;
const rounds = 7;
/** As spamsUpdates.mjs says in a turn. */
const updates = 5_000;

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const agent = [process.execPath, here('../agents/spamsUpdates.mjs')];
const served = [process.execPath, here('../../dist/cli.js'), 'serve', '--command', agent.map((word) => `"${word}"`).join(' ')];
const cwd = mkdtempSync(path.join(tmpdir(), 'acp-host-bench-'));

/** @returns milliseconds of each turn, all of whose updates were counted */
async function turnsOf([command = '', ...args]: readonly string[]): Promise<readonly number[]> {
  const backend = await connectBackend(
    {
      agent: { id: 'bench', label: 'Bench', protocol: 'acp', command, args, env: {} },
      cwd,
      clientInfo: { name: 'bench', title: 'Bench', version: '0' },
      terminalAuth: false,
    },
    {
      redactor: new Redactor(),
      services: { requestUser: () => Promise.resolve({ type: 'cancel' }), filesIn: createFileAccess },
    },
    { onTraffic: () => {}, signal: new AbortController().signal },
  );
  let heard = 0;
  const sink = { begin: () => {}, history: () => {}, event: () => void heard++ };
  const session = await backend.sessions.open({ method: 'new', cwd, mcpServers: [] }, sink);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    heard = 0;
    const startedAt = performance.now();
    await session.prompt(`t${round}`, [{ type: 'text', text: 'go' }], 'turn');
    times.push(performance.now() - startedAt);
    if (heard < updates) throw new Error(`Only ${heard} of ${updates} updates came before the end of the turn`);
  }
  await backend.close();
  // The first one warms everything up.
  return times.slice(1);
}

try {
  const direct = median(await turnsOf(agent)) / updates;
  const through = median(await turnsOf(served)) / updates;
  printTable(
    `an update, in milliseconds (median of ${rounds - 1} turns of ${updates})`,
    ['', 'ms'],
    [
      ['the agent itself', direct],
      ['through serve', through],
    ],
  );
  writeReport('backends', [...(await benchFloods(cwd)), atMost('serve.added-ms-per-update', through - direct, limits.servedMsPerUpdate)]);
} finally {
  rmSync(cwd, { recursive: true, force: true });
}
