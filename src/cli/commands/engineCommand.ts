/** `acp-host engine`: the process that has the conversations. */
import { type EngineSummary, hangingEngine, killEngine, toHostError } from '../../core/index.js';
import { engineFactsText, engineKeptText, enginePlaceText } from '../../text/engineText.js';
import type { RequestOf } from '../arguments/parseArguments.js';
import { type EngineLine, schemaVersion } from '../output/reportSchema.js';
import { askEngine } from '../system/engine.js';
import { type Io, writeJson } from '../system/io.js';

/** @throws HostError why the engine can't be reached */
export async function runEngine({ action, format, state }: RequestOf<'engine'>, io: Io): Promise<void> {
  let engine: EngineSummary | undefined;
  try {
    engine = await askEngine(state, io, async (client) => {
      const summary = await client?.call('summary', {});
      if (action === 'stop') await client?.stop();
      return summary;
    });
  } catch (error) {
    const pid = action === 'stop' ? hangingEngine(toHostError(error)) : undefined;
    if (pid === undefined) throw error;
    return endHanging(pid, format, io);
  }
  if (format === 'json') writeJson(io.stdout, engineLine(engine));
  else io.stdout.write(engine === undefined ? 'Nothing runs.\n' : action === 'stop' ? `Ended ${engine.pid}\n` : describe(engine));
}

async function endHanging(pid: number, format: RequestOf<'engine'>['format'], io: Io): Promise<void> {
  await killEngine(pid);
  io.stderr.write('The engine did not respond, so it was killed. Turns that ran are interrupted.\n');
  if (format === 'json') writeJson(io.stdout, engineLine(undefined));
  else io.stdout.write(`Ended ${pid}\n`);
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

function describe(engine: EngineSummary): string {
  return `The engine runs ${enginePlaceText(engine)}.\n${engineFactsText(engine, Date.now())}\n${engineKeptText(engine)}\n`;
}
