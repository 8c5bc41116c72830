/**
 * The program of an engine. Its one argument is JSON: EngineArguments. It says on stdout how its start ended, and ends by itself when nobody
 * needs it any more.
 */
import { HostError, toHostError } from '../base/errors.js';
import { reportStart } from '../link/launchEngine.js';
import { Engine } from './engine.js';
import { nextEngine, parseEngineArguments, publishEngine } from './engineAccess.js';

async function main(): Promise<void> {
  const parsed = parseEngineArguments(process.argv[2]);
  if (parsed === undefined) throw new HostError('usage', { detail: process.argv[2] ?? '' });
  const { stateFolder, version, limits } = parsed;
  let ending: Promise<void> | undefined;
  const end = (isReplaced = false): Promise<void> =>
    (ending ??= engine
      .close(() => {
        if (listening !== 'lost') listening.dispose();
        return isReplaced ? nextEngine(stateFolder) : undefined;
      })
      .finally(() => process.exit()));
  const engine = new Engine({ stateFolder, version, location: 'process', limits, onIdle: () => void end() });
  const listening = await publishEngine(engine, {
    stateFolder,
    version,
    onEndRequested: () => void end(true),
    onDisplaced: () => void end(),
  });
  if (listening === 'lost') {
    await reportStart('lost');
    process.exit();
  }
  // Only now: until this one is the engine, another one may write there.
  await engine.load();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void end());
  // The terminal in which it was started is closed.
  process.on('SIGHUP', () => {});
  await reportStart('ready');
}

main().catch(async (thrown: unknown) => {
  await reportStart(toHostError(thrown));
  process.exit(1);
});
