/**
 * Passes the agent's requests to its user on to the client. A permission becomes ACP's own request. A dialog becomes an elicitation if the
 * client supports them, else a permission request, which offers the possible answers if there are only a few, and otherwise can only be
 * dismissed.
 */
import { type AgentContext, type JsonRpcId, methods } from '@agentclientprotocol/sdk';
import { HostError, type Logger, messageOf, type UserAnswer, type UserRequest } from '../core/index.js';
import { errorMessage } from '../text/errorText.js';
import { askByElicitation, elicitationIdOf } from './elicitation.js';
import { askByPermission } from './permission.js';
import type { ServedSession } from './servedSession.js';
import type { Declared } from './wire.js';

export interface DialogParts {
  readonly client: AgentContext;
  readonly capabilities: () => Declared;
  /** @returns false if nothing was decided: the request is gone, or does not allow the answer */
  readonly answer: (requestId: string, answer: UserAnswer) => boolean;
  readonly log: Logger;
}

export class Dialogs {
  readonly #parts: DialogParts;
  readonly #open = new Map<string, AbortController>();

  constructor(parts: DialogParts) {
    this.#parts = parts;
  }

  /**
   * @param session the one that the request belongs to; undefined if it is not open
   * @param callId the client's request that it belongs to instead
   */
  open(request: UserRequest, session: Pick<ServedSession, 'whenKnown'> | undefined, callId?: JsonRpcId): void {
    // The client that opened the page waits by itself until it hears `elicitation/complete`.
    if (request.kind === 'url' && request.isOpened === true) return;
    const closed = new AbortController();
    this.#open.set(request.id, closed);
    const ask = (): void => {
      if (!closed.signal.aborted) this.#ask(request, closed.signal, callId);
    };
    if (session === undefined) ask();
    else session.whenKnown(ask);
  }

  #ask(request: UserRequest, closed: AbortSignal, callId: JsonRpcId | undefined): void {
    const { client, answer, capabilities, log } = this.#parts;
    const { subagent } = request;
    // To a client that knows sub-agents, each is a session.
    const asked = subagent !== undefined && capabilities().subagents ? { ...request, sessionId: subagent.id } : request;
    const ask = isElicitable(asked, capabilities())
      ? askByElicitation(asked, client, closed, callId)
      : // ACP has no permissions outside of sessions.
        callId === undefined
        ? askByPermission(asked, client, closed)
        : Promise.reject(new Error('the client supports no elicitation of this mode'));
    // Anything but a valid answer is no decision.
    void ask
      .catch((error: unknown): UserAnswer => {
        const why =
          error instanceof HostError
            ? errorMessage(error.toData(), 'The client')
            : `The client did not answer a request: ${messageOf(error)}`;
        if (!closed.aborted) log.warn(why);
        return { type: 'cancel' };
      })
      .then((given) => answer(request.id, given) || answer(request.id, { type: 'cancel' }));
  }

  /** Call this when the answer is no longer awaited. */
  close(request: UserRequest, answer: UserAnswer): void {
    const { client, capabilities } = this.#parts;
    this.#open.get(request.id)?.abort();
    this.#open.delete(request.id);
    if (request.kind !== 'url' || !isElicitable(request, capabilities())) return;
    const isOpened = request.isOpened !== true && answer.type === 'accept';
    if (!isOpened) client.notify(methods.client.elicitation.complete, { elicitationId: elicitationIdOf(request) }).catch(() => {});
  }
}

function isElicitable({ kind }: UserRequest, { elicitation }: Declared): boolean {
  if (kind === 'permission') return false;
  return (kind === 'url' ? elicitation?.url : elicitation?.form) != null;
}
