/** Waits for events. The limits are generous, because they only end tests that hang. */
import type { Disposable } from '../../src/core/base/disposable.js';
import type { SessionState } from '../../src/core/session/model.js';
import type { UserRequest } from '../../src/core/session/userRequest.js';
import type { AgentHost } from '../../src/core/host/agentHost.js';
import type { AgentStatus, Session } from '../../src/core/host/api.js';

const LIMIT_MS = 40_000;

/** @param describe says at the deadline what happened instead */
export async function within<T>(promise: Promise<T>, what: string, describe: () => string = () => ''): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No ${what} within ${LIMIT_MS} ms. ${describe()}`)), LIMIT_MS);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves with the first state that `holds`, including the present one. */
export async function until(session: Session, what: string, holds: (state: SessionState) => boolean): Promise<SessionState> {
  if (holds(session.state)) return session.state;
  let subscription: Disposable | undefined;
  const reached = new Promise<SessionState>((resolve) => {
    subscription = session.onBatch(({ state }) => {
      if (holds(state)) resolve(state);
    });
  });
  try {
    return await within(reached, what, () => `The session: ${JSON.stringify(session.state, undefined, 1)}`);
  } finally {
    subscription?.dispose();
  }
}

/** Resolves with the oldest open request of the agent. Pass an answered request to get the next one. */
export async function nextRequest(session: Session, after?: UserRequest): Promise<UserRequest> {
  const isNext = (request: UserRequest): boolean => request.id !== after?.id;
  const state = await until(session, 'request of the agent', ({ requests }) => requests.some(isNext));
  const request = state.requests.find(isNext);
  if (request === undefined) throw new Error('Unreachable: the state was just checked.');
  return request;
}

/** Resolves when the agent is in the state. */
export async function statusReached(host: AgentHost, state: AgentStatus['state']): Promise<void> {
  if (host.status.state === state) return;
  let subscription: Disposable | undefined;
  const reached = new Promise<void>((resolve) => {
    subscription = host.onStatus((status) => {
      if (status.state === state) resolve();
    });
  });
  try {
    await within(reached, `status ${state}`, () => `It is ${JSON.stringify(host.status)}`);
  } finally {
    subscription?.dispose();
  }
}
