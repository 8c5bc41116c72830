import { tmpdir } from 'node:os';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { nullLogger } from '../../../src/core/base/logger.js';
import type { HostError } from '../../../src/core/base/errors.js';
import { type AgentProcess, type AgentProcessOptions, spawnAgentProcess } from '../../../src/core/process/agentProcess.js';

export function agentScript(name: string): string {
  return fileURLToPath(new URL(`../../agents/${name}.mjs`, import.meta.url));
}

/** Starts `test/agents/<name>.mjs`, and stops it at the end of the test. */
export async function launchAgent(
  t: TestContext,
  name: string,
  args: readonly string[] = [],
  options: Partial<AgentProcessOptions> = {},
): Promise<AgentProcess> {
  const agent = await spawnAgentProcess({
    command: process.execPath,
    args: [agentScript(name), ...args],
    cwd: tmpdir(),
    env: process.env,
    log: nullLogger,
    ...options,
  });
  t.after(() => agent.stop({ force: true }));
  return agent;
}

/** Resolves when the pipe has accepted the message. @throws HostError */
export function send(channel: AgentProcess['channel'], message: object): Promise<void> {
  return new Promise((resolve, reject) => channel.send(message, (failure) => (failure === undefined ? resolve() : reject(failure))));
}

/** What a channel has delivered so far. */
export interface Received {
  readonly values: unknown[];
  /** Resolves with the value at this index when it has arrived. */
  at(index: number): Promise<unknown>;
  readonly ended: Promise<HostError | undefined>;
}

export function receive(channel: AgentProcess['channel'], isMessage?: (value: unknown) => boolean): Received {
  const values: unknown[] = [];
  const waiting = new Map<number, (value: unknown) => void>();
  const ended = new Promise<HostError | undefined>((resolve) => {
    channel.listen({
      onValue: (value) => {
        waiting.get(values.length)?.(value);
        values.push(value);
      },
      ...(isMessage && { isMessage }),
      onLineTooLong: () => {},
      onEnd: resolve,
    });
  });
  return {
    values,
    ended,
    at: (index) => (index < values.length ? Promise.resolve(values[index]) : new Promise((resolve) => waiting.set(index, resolve))),
  };
}
