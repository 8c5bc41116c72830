import { type AgentHost, type Disposable, DisposableStore, type ErrorParams, type Logger, type TurnOutcome } from '../../core/index.js';

/** The number of stderr lines that are logged to explain a failure. */
const stderrLines = 40;

/** Logs why an agent or a turn failed, with the agent's stderr, because errors refer users to the log. */
export function logFailures(host: AgentHost, log: Logger): Disposable {
  const store = new DisposableStore();
  const tell = (what: string, error: { readonly code: string; readonly params: ErrorParams }, stderrTail: string | undefined): void =>
    log.error([`${what}: ${error.code}`, JSON.stringify(error.params), stderrTail ?? ''].filter((line) => line !== '').join('\n'));
  const tellEnd = (outcome: TurnOutcome): void => {
    if (outcome.type === 'failed') tell('A turn failed', outcome.error, host.stderrTail(stderrLines));
    if (outcome.type === 'ended' && outcome.stderrTail !== undefined) log.warn(`A turn ended without a reply\n${outcome.stderrTail}`);
    if (outcome.type === 'interrupted') tell('A turn was interrupted', outcome.error, host.stderrTail(stderrLines));
  };
  store.add(
    host.onStatus((status) => {
      if (status.state === 'failed') tell(`${host.agent.label} cannot be used`, status.error, host.stderrTail(stderrLines));
      if (status.state === 'reconnecting' && status.reason !== undefined && status.retryAt !== undefined) {
        tell(`${host.agent.label} was lost`, status.reason, host.stderrTail(stderrLines));
      }
    }),
  );
  store.add(
    host.onSession((session) => {
      // The subscription ends with the session.
      session.onBatch(({ events }) => {
        for (const event of events) if (event.type === 'turn_ended') tellEnd(event.outcome);
      });
    }),
  );
  return store;
}
