/**
 * What the agent asks its user, put before the client. A permission is ACP's own request. A dialog is an elicitation where the client has those,
 * and a request for permission otherwise: as far as its answer is one of a few, and to be dismissed where it is not.
 */
import { type AgentContext, type ClientCapabilities, methods } from '@agentclientprotocol/sdk';
import { HostError, type Logger, messageOf, type UserAnswer, type UserRequest } from '../core/index.js';
import { errorMessage } from '../text/errorText.js';
import { askByElicitation } from './elicitation.js';
import { askByPermission } from './permission.js';

export interface DialogParts {
  readonly client: AgentContext;
  readonly capabilities: () => ClientCapabilities;
  /** @returns false where nothing was decided: the request is gone, or the answer is none that it allows */
  readonly answer: (requestId: string, answer: UserAnswer) => boolean;
  readonly log: Logger;
}

export class Dialogs {
  readonly #parts: DialogParts;
  readonly #open = new Map<string, AbortController>();

  constructor(parts: DialogParts) {
    this.#parts = parts;
  }

  open(request: UserRequest): void {
    const { client, answer, capabilities, log } = this.#parts;
    const closed = new AbortController();
    this.#open.set(request.id, closed);
    const ask = (isElicitable(request, capabilities()) ? askByElicitation : askByPermission)(request, client, closed.signal);
    // Whatever is no answer to it is no decision.
    void ask
      .catch((error: unknown): UserAnswer => {
        const why =
          error instanceof HostError
            ? errorMessage(error.toData(), 'The client')
            : `The client did not answer a request: ${messageOf(error)}`;
        if (!closed.signal.aborted) log.warn(why);
        return { type: 'cancel' };
      })
      .then((given) => answer(request.id, given) || answer(request.id, { type: 'cancel' }));
  }

  /** Nobody waits for the answer any more. */
  close(request: UserRequest): void {
    const { client, capabilities } = this.#parts;
    this.#open.get(request.id)?.abort();
    this.#open.delete(request.id);
    if (request.kind !== 'url' || !isElicitable(request, capabilities())) return;
    client.notify(methods.client.elicitation.complete, { elicitationId: request.id }).catch(() => {});
  }
}

function isElicitable({ kind }: UserRequest, { elicitation }: ClientCapabilities): boolean {
  if (kind === 'permission') return false;
  return (kind === 'url' ? elicitation?.url : elicitation?.form) != null;
}
