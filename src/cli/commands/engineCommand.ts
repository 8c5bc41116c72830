/** `acp-host engine`: the process that has the conversations. */
import type { EngineSummary } from '../../core/index.js';
import type { EngineRequest } from '../arguments/request.js';
import type { EngineLine } from '../output/reportSchema.js';
import { schemaVersion } from '../output/schemaVersion.js';
import { findEngine } from '../system/engine.js';
import { flushed, type Io, writeJson } from '../system/io.js';

/** @throws HostError why the engine can't be reached */
export async function runEngine({ action, format, state }: EngineRequest, io: Io): Promise<void> {
  const client = await findEngine(state, io);
  const engine = await client?.call('summary', {});
  if (client !== undefined && action === 'stop') {
    const ended = new Promise<void>((resolve) => client.onConnection((connection) => connection.state === 'lost' && resolve()));
    await client.call('stop_engine', {});
    await ended;
  }
  client?.dispose();
  if (format === 'json') writeJson(io.stdout, engineLine(engine));
  else io.stdout.write(engine === undefined ? 'Nothing runs.\n' : action === 'stop' ? `Ended ${engine.pid}\n` : describe(engine));
  await flushed(io.stdout);
}

function engineLine(engine: EngineSummary | undefined): EngineLine {
  return {
    schemaVersion,
    engine: engine === undefined ? null : { ...engineFacts(engine), frontEnds: engine.frontEnds, running: engine.running },
  };
}

export function engineFacts({
  pid,
  version,
  since,
  memoryBytes,
}: EngineSummary): Omit<NonNullable<EngineLine['engine']>, 'frontEnds' | 'running'> {
  return { pid, version, since: new Date(since).toISOString(), memoryBytes };
}

function describe({ pid, version, since, memoryBytes, location, frontEnds, running, keepAliveMs }: EngineSummary): string {
  const where = location === 'process' ? `pid ${pid}` : `in the process ${pid}`;
  const minutes = Math.round(keepAliveMs / 60_000);
  const reasons = [
    ...(frontEnds > 0 ? [`${frontEnds} ${frontEnds === 1 ? 'window or terminal uses' : 'windows and terminals use'} it`] : []),
    ...(running > 0 ? [`something runs in ${running} ${running === 1 ? 'conversation' : 'conversations'}`] : []),
  ];
  const why = reasons.length > 0 ? reasons.join(', and ') : `it is idle, and ends ${minutes === 0 ? 'soon' : `within ${minutes} min`}`;
  return [
    `ACP Host ${version}, ${where}, running for ${ageText(Date.now() - since)}, ${Math.round(memoryBytes / 1024 / 1024)} MB`,
    `It is running because ${why}.`,
    '',
  ].join('\n');
}

/** `3 h 12 min`, `4 min` or `12 s`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
