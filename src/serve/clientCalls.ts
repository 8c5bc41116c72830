import { randomUUID } from 'node:crypto';
import type { JsonRpcId } from '@agentclientprotocol/sdk';
import type { RequestUser, UserRequestRegistry } from '../core/index.js';

/** Calls of the client because of which the agent may ask something outside of sessions: to open one, or to sign in. */
export class ClientCalls {
  readonly #registry: () => UserRequestRegistry;
  /** By what stands for a session in the registry. */
  readonly #ids = new Map<string, JsonRpcId>();

  constructor(registry: () => UserRequestRegistry) {
    this.#registry = registry;
  }

  /** @returns the ID of the client's request; undefined for a session */
  idOf(key: string): JsonRpcId | undefined {
    return this.#ids.get(key);
  }

  /** What the agent asks meanwhile is asked because of the client's request. */
  async during<T>(requestId: JsonRpcId, call: (requestUser: RequestUser) => Promise<T>): Promise<T> {
    const key = randomUUID();
    this.#ids.set(key, requestId);
    try {
      return await call((request, signal) => this.#registry().requestUser({ ...request, sessionId: key }, signal));
    } finally {
      this.#registry().cancelSession(key, 'withdrawn');
      this.#ids.delete(key);
    }
  }
}
