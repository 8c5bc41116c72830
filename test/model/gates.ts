/** Points in a reply at which the mock model waits for the test, so that no test waits for time. */
import type { ServerResponse } from 'node:http';

export interface HeldGate {
  release(): void;
  /** Resolves when the client gave the request up while it was held. */
  readonly abandoned: Promise<void>;
}

export interface GateBook {
  /** Called by the server: resolves when the gate is released or the client is gone. */
  pass(name: string, response: ServerResponse): Promise<void>;
  /** Called by a test. A reply that was released or abandoned meanwhile is not handed out. */
  held(name: string): Promise<HeldGate>;
}

/** @param delayMs gates open by themselves after this long; absent: only a test opens them */
export function createGates(delayMs?: number): GateBook {
  const waiting = new Map<string, ((gate: HeldGate) => void)[]>();
  const standing = new Map<string, HeldGate[]>();
  const listIn = <T>(map: Map<string, T[]>, name: string): T[] => {
    const list = map.get(name) ?? [];
    map.set(name, list);
    return list;
  };
  return {
    pass(name, response) {
      let release = (): void => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const abandoned = new Promise<void>((resolve) => response.once('close', () => resolve()));
      const gate: HeldGate = { release, abandoned };
      const taker = listIn(waiting, name).shift();
      if (taker === undefined) listIn(standing, name).push(gate);
      else taker(gate);
      if (delayMs !== undefined) setTimeout(release, delayMs);
      const forget = (): void => {
        standing.set(
          name,
          listIn(standing, name).filter((other) => other !== gate),
        );
      };
      return Promise.race([released, abandoned]).finally(forget);
    },
    held(name) {
      const gate = listIn(standing, name).shift();
      if (gate !== undefined) return Promise.resolve(gate);
      return new Promise((resolve) => listIn(waiting, name).push(resolve));
    },
  };
}
