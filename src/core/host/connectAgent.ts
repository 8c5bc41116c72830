import type { HostServices } from '../services/hostServices.js';
import type { Protocol } from '../backends/protocols.js';
import type { Clock } from '../base/clock.js';
import { nullLogger } from '../base/logger.js';
import type { Redactor } from '../base/redact.js';
import type { AgentLifeParts } from './agentLife.js';
import { type AgentHostOptions, defaultDeadlines } from './api.js';

interface Shared {
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly services: HostServices;
}

/** @returns what starts the agent of these options, each time it is called, and speaks its protocol to it */
export function agentConnector(protocol: Protocol, options: AgentHostOptions, shared: Shared): AgentLifeParts['connect'] {
  const { agent, cwd, clientInfo, terminalAuth, baseEnv = process.env, deadlines, log = nullLogger, whenDrained } = options;
  const settings = {
    agent,
    cwd,
    clientInfo,
    terminalAuth,
    baseEnv,
    log,
    deadlines: { ...defaultDeadlines, ...deadlines },
    ...(whenDrained && { whenDrained }),
  };
  return (attempt) => protocol.connect({ ...attempt, ...settings, ...shared });
}
