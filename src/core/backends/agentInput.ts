/** What agents of every protocol have in common, whatever the forms in which they send it. */
import { isFields } from '../base/fields.js';
import type { Logger } from '../base/logger.js';
import type { MessageChannel } from '../transport/messageChannel.js';
import type { AgentInfo, ConnectContext } from './agentBackend.js';

/** The number of distinct problems that are logged as warnings. Further ones, and repetitions, are logged at the trace level. */
const problemLimit = 50;

/** Counts messages, or parts of them, that the host doesn't understand, and logs each kind once. */
export class LeftOut {
  readonly #log: Logger;
  readonly #problems = new Set<string>();
  #count = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  get count(): number {
    return this.#count;
  }

  report(problem: string): void {
    this.#count++;
    if (this.#problems.has(problem) || this.#problems.size >= problemLimit) return this.#log.trace(`Ignored: ${problem}`);
    this.#problems.add(problem);
    this.#log.warn(`Ignored something that the agent sent: ${problem}`);
  }
}

/** What is known of an agent whose protocol has no introduction: the name that the user configured. */
export function plainInfo({ agent }: { readonly agent: { readonly label: string } }): AgentInfo {
  return {
    name: agent.label,
    title: undefined,
    version: undefined,
    protocolVersion: 1,
    promptContent: [],
    mcpTransports: [],
    authMethods: [],
    capabilities: {},
  };
}

/** Stops reading while there is no room for what the agent sends. */
export function waitForRoom(
  channel: Pick<MessageChannel, 'pause' | 'resume'>,
  whenDrained: ConnectContext['whenDrained'],
  stats: { pauses: number },
): void {
  const room = whenDrained?.();
  if (room === undefined) return;
  stats.pauses++;
  channel.pause();
  void room.then(() => channel.resume());
}

/**
 * Returns what a member such as `error` says, in whatever form: protocols specify a text, and some servers send an object.
 * @returns undefined if it reports no failure
 */
export function failureText(error: unknown): string | undefined {
  if (error == null || error === false || error === '') return undefined;
  if (typeof error === 'string') return error;
  const message = isFields(error) ? (error['message'] ?? error['detail']) : undefined;
  return typeof message === 'string' && message !== '' ? message : JSON.stringify(error);
}

/**
 * Returns an agent's commands with names as users type them after a slash: some agents include the slash, or send names that are empty or
 * repeat. Of commands with the same name, the first one counts.
 */
export function usableCommands<C extends { readonly name: string }>(commands: readonly C[]): readonly C[] {
  const byName = new Map<string, C>();
  for (const command of commands) {
    const name = command.name.trim().replace(/^[\s/]+/, '');
    if (name !== '' && !byName.has(name)) byName.set(name, name === command.name ? command : { ...command, name });
  }
  return [...byName.values()];
}
