/** ACP v1 `initialize`: what the host sends, and how it maps the answer. */
import type { InitializeRequest, InitializeResponse } from '@agentclientprotocol/sdk';
import { HostError } from '../../base/errors.js';
import type { AgentInfo, ClientInfo, ResumeMethod } from '../agentBackend.js';
import { toAuthMethod } from './authMethods.js';
import { type ClientFeatureOptions, clientCapabilities } from './features/features.js';
import { PROTOCOL_VERSION } from './schema/methods.js';

export function initializeParams(clientInfo: ClientInfo, options: ClientFeatureOptions): InitializeRequest {
  return { protocolVersion: PROTOCOL_VERSION, clientInfo, clientCapabilities: clientCapabilities(options) };
}

/** @throws HostError `version_unsupported` */
export function toAgentInfo(result: InitializeResponse, configuredName: string): AgentInfo {
  if (result.protocolVersion !== PROTOCOL_VERSION) {
    throw new HostError('version_unsupported', { agentVersion: result.protocolVersion, hostVersions: [PROTOCOL_VERSION] });
  }
  const { agentInfo, agentCapabilities: { promptCapabilities: prompt, mcpCapabilities: mcp, ...declared } = {} } = result;
  return {
    name: agentInfo?.name ?? configuredName,
    title: agentInfo?.title ?? undefined,
    version: agentInfo?.version || undefined,
    protocolVersion: result.protocolVersion,
    promptContent: [
      ...(prompt?.image === true ? (['image'] as const) : []),
      ...(prompt?.audio === true ? (['audio'] as const) : []),
      ...(prompt?.embeddedContext === true ? (['resource'] as const) : []),
    ],
    mcpTransports: [...(mcp?.http === true ? (['http'] as const) : []), ...(mcp?.sse === true ? (['sse'] as const) : [])],
    authMethods: (result.authMethods ?? []).map(toAuthMethod),
    capabilities: {
      ...declared,
      ...(prompt == null ? {} : { promptCapabilities: prompt }),
      ...(mcp == null ? {} : { mcpCapabilities: mcp }),
    },
  };
}

/** What the agent can do with its sessions. */
export interface SessionAbilities {
  readonly resumeMethods: readonly ResumeMethod[];
  readonly close: boolean;
}

export function toSessionAbilities({ agentCapabilities }: InitializeResponse): SessionAbilities {
  const { loadSession, sessionCapabilities } = agentCapabilities ?? {};
  return {
    resumeMethods: [
      ...(loadSession === true ? (['load'] as const) : []),
      ...(sessionCapabilities?.resume == null ? [] : (['resume'] as const)),
    ],
    close: sessionCapabilities?.close != null,
  };
}
