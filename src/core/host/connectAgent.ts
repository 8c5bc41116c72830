import { type AgentDefinition, environmentFor, type ServerDefinition } from '../agents/agentDefinition.js';
import { findAgentOfCommand, installCommandFor, type LaunchContext } from '../agents/knownAgents.js';
import { isPlainBeyondLoopback } from '../agents/serverUrl.js';
import type { AgentBackend, ConnectContext } from '../backends/agentBackend.js';
import { expectedOf, type Protocol, protocolOf } from '../backends/protocols.js';
import { systemClock } from '../base/clock.js';
import { HostError } from '../base/errors.js';
import { nullLogger } from '../base/logger.js';
import type { Redactor } from '../base/redact.js';
import type { HostServices } from '../services/hostServices.js';
import type { AgentLifeParts } from './agentLife.js';
import { type AgentHostOptions, defaultDeadlines } from './api.js';

interface Shared {
  readonly redactor: Redactor;
  readonly services: HostServices;
}

/**
 * @returns a function that connects to the agent of these options over its protocol each time it is called
 * @throws HostError `usage` if the protocol doesn't fit this kind of agent
 */
export function agentConnector(protocol: Protocol, options: AgentHostOptions, shared: Shared): AgentLifeParts['connect'] {
  const { agent, cwd, clientInfo, terminalAuth, baseEnv = process.env, deadlines, log = nullLogger, whenDrained } = options;
  const expected = expectedOf(agent.protocol);
  const settings: Omit<ConnectContext, keyof Shared | 'onTraffic' | 'signal'> = {
    cwd,
    clientInfo,
    terminalAuth,
    baseEnv,
    clock: systemClock,
    log,
    deadlines: { ...defaultDeadlines, ...deadlines },
    ...(whenDrained && { whenDrained }),
    ...(expected && { expected }),
  };
  if (protocol.peer === 'process') {
    if ('url' in agent) throw new HostError('usage', { reason: 'protocol_needs_command', protocol: agent.protocol });
    return (attempt) =>
      protocol.connect({ ...attempt, ...settings, ...shared, agent }).catch(async (error: unknown) => {
        throw await withInstallCommand(error, { env: environmentFor(agent, baseEnv), cwd });
      });
  }
  if (!('url' in agent)) throw new HostError('usage', { reason: 'protocol_needs_url', protocol: agent.protocol });
  const { readStoredKey } = options;
  const readKey = async (): Promise<string | undefined> => {
    const key = await keyOf(agent, baseEnv, readStoredKey);
    if (key !== undefined) shared.redactor.addSecret(key);
    return key;
  };
  return (attempt) => protocol.connect({ ...attempt, ...settings, ...shared, agent, readKey });
}

async function withInstallCommand(error: unknown, context: LaunchContext): Promise<unknown> {
  if (!(error instanceof HostError) || error.code !== 'agent_not_found') return error;
  const install = findAgentOfCommand(String(error.params['command']))?.install;
  return install === undefined ? error : error.with({ installCommand: await installCommandFor(install, context) });
}

async function keyOf(
  { key, url }: ServerDefinition,
  env: NodeJS.ProcessEnv,
  readStoredKey: AgentHostOptions['readStoredKey'],
): Promise<string | undefined> {
  return key?.type === 'environment' ? env[key.name] : key && readStoredKey?.(url);
}

/**
 * Opens one connection to the agent of these options, for a program that manages its own sessions.
 * @throws HostError as ConnectAgent, and `usage`
 */
export function connectBackend(
  options: AgentHostOptions,
  shared: Shared,
  attempt: Pick<ConnectContext, 'onTraffic' | 'signal'>,
): Promise<AgentBackend> {
  const { agent, baseEnv = process.env } = options;
  if ('env' in agent) shared.redactor.addEnvironment(agent.env);
  shared.redactor.addEnvironment(baseEnv);
  return agentConnector(protocolOf(agent.protocol), options, shared)(attempt);
}

/**
 * What a user must know about a server. `unauthenticated`: everyone who can reach it can use it. `unencrypted`: others can read the
 * conversation.
 */
export type ServerCaveat = 'unauthenticated' | 'unencrypted';

/** @returns undefined for a program, and for a server that authenticates its clients over a secure connection */
export function serverCaveat(definition: AgentDefinition): ServerCaveat | undefined {
  if (!('url' in definition)) return undefined;
  const protocol = protocolOf(definition.protocol);
  if (protocol.peer === 'server' && protocol.isUnauthenticated === true) return 'unauthenticated';
  return isPlainBeyondLoopback(definition.url) ? 'unencrypted' : undefined;
}
