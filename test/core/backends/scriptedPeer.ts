/** A peer without a process: the test answers the requests of the adapter. */
import assert from 'node:assert/strict';
import { standardQuirks } from '../../../src/core/agents/standardQuirks.js';
import { AcpCalls, type AcpCallsParts } from '../../../src/core/backends/acp/acpCalls.js';
import { Redactor } from '../../../src/core/base/redact.js';
import type { RpcPeer } from '../../../src/core/rpc/peer.js';
import { toRequestError } from '../../../src/core/rpc/failureReason.js';

export interface AskedOfAgent {
  readonly method: string;
  readonly params: unknown;
  /** Answers the request as the agent. The answer is parsed like any other one. */
  answer(result: unknown): void;
  fail(error: unknown): void;
}

export interface ScriptedPeer {
  readonly peer: RpcPeer;
  /** Requests without an answer, oldest first. */
  readonly open: AskedOfAgent[];
  readonly notified: { readonly method: string; readonly params: unknown }[];
  /** Takes the oldest open request of a method. */
  take(method: string): AskedOfAgent;
}

export function scriptedPeer(): ScriptedPeer {
  const open: AskedOfAgent[] = [];
  const notified: ScriptedPeer['notified'] = [];
  const peer: RpcPeer = {
    listen: () => {},
    request: ({ method, parseResult }, params) =>
      new Promise((resolve, reject) => {
        open.push({
          method,
          params,
          answer: (result) => resolve(parseResult(result ?? {})),
          fail: (error) => reject(toRequestError(method, error)),
        });
      }),
    notify: async (method, params) => void notified.push({ method, params }),
    onClose: () => ({ dispose: () => {} }),
    stats: { noiseLines: 0, invalidMessages: 0, unknownResponses: 0, timeouts: 0, pendingRequests: 0, backlog: 0, pauses: 0 },
    firstMisfit: undefined,
    dispose: () => {},
  };
  return {
    peer,
    open,
    notified,
    take(method) {
      const index = open.findIndex((asked) => asked.method === method);
      return open.splice(index, 1)[0] ?? assert.fail(`The agent was not asked for ${method}.`);
    },
  };
}

export function callsOf({ peer }: ScriptedPeer, parts: Partial<AcpCallsParts> = {}): AcpCalls {
  return new AcpCalls({
    peer,
    deadlines: { initializeMs: 1_000, sessionMs: 1_000, queryMs: 1_000 },
    redactor: new Redactor(),
    quirks: standardQuirks,
    authMethods: [],
    isEnded: () => false,
    ...parts,
  });
}
