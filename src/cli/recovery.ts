import { DisposableStore, HostError, type Session } from '../core/index.js';

/** Resolves when the session can be prompted: at once, or when its lost agent is back. @throws HostError why it will not be */
export function untilLive(session: Session): Promise<void> {
  const { host } = session;
  return new Promise((resolve, reject) => {
    const subscriptions = new DisposableStore();
    const look = (): void => {
      if (session.live) resolve();
      else if (host.status.state === 'failed') reject(notTakenUp(host.status.error));
      else if (host.status.state === 'stopped') reject(notTakenUp(new HostError('agent_exited', `${host.agent.label} ended by itself`)));
      else return;
      subscriptions.dispose();
    };
    subscriptions.add(host.onStatus(look));
    subscriptions.add(host.onSession(look));
    look();
  });
}

function notTakenUp(cause: HostError): HostError {
  return new HostError(cause.code, `The session could not be taken up again: ${cause.message}`, { cause, data: cause.data });
}
