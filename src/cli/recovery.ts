import { type Disposable, DisposableStore, HostError, type Session } from '../core/index.js';

/** Resolves when the session can be prompted: at once, or when its lost agent is back. @throws HostError why it will not be */
export function untilLive(session: Session): Promise<void> {
  return new Promise((resolve, reject) => {
    const subscriptions = new DisposableStore();
    const look = (): void => {
      const loss = finalLoss(session);
      if (session.live) resolve();
      else if (loss) reject(loss);
      else return;
      subscriptions.dispose();
    };
    subscriptions.add(session.host.onStatus(look));
    subscriptions.add(session.host.onSession(look));
    look();
  });
}

/** Tells when the agent was lost and is not going to come back. */
export function onFinalLoss(session: Session, tell: (loss: HostError) => void): Disposable {
  return session.host.onStatus(() => {
    const loss = finalLoss(session);
    if (loss) tell(loss);
  });
}

function finalLoss({ live, host }: Session): HostError | undefined {
  if (live) return undefined;
  if (host.status.state === 'failed') return notTakenUp(host.status.error);
  return host.status.state === 'stopped' ? notTakenUp(new HostError('agent_exited', `${host.agent.label} ended by itself`)) : undefined;
}

function notTakenUp(cause: HostError): HostError {
  return new HostError(cause.code, `The session could not be taken up again: ${cause.message}`, { cause, data: cause.data });
}
