/** ACP v1 `initialize`: what the host sends, and how it maps the answer. */
import type { InitializeRequest, InitializeResponse, AuthMethod as WireAuthMethod } from '@agentclientprotocol/sdk';
import type { AcpQuirks } from '../../agents/acpQuirks.js';
import { HostError } from '../../base/errors.js';
import type { AgentInfo, AuthMethod, BackendSessions, ClientInfo, KeyVariables, ResumeMethod } from '../agentBackend.js';
import { clientCapabilities, type ClientFeatureOptions } from './features/features.js';
import { type AuthMethodExtras, offersSteering, parseAuthMethodExtras } from './schema/additions.js';
import type { SteeringKind } from './steering.js';
import { offers, PROTOCOL_VERSION } from './schema/methods.js';

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
    ...(offers(declared.sessionCapabilities, 'systemPrompt') ? { takesSystemPrompt: true } : {}),
    ...(declared.auth?.logout == null ? {} : { signsOut: true }),
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
  readonly forks: BackendSessions['forks'];
  readonly close: boolean;
  readonly list: boolean;
  readonly delete: boolean;
  readonly title: boolean;
  /** How a prompt can reach the running turn, if not as a prompt with a mark. */
  readonly steers: SteeringKind | undefined;
  /** It can be told of other folders. */
  readonly otherFolders: boolean;
}

export function toSessionAbilities(
  { agentCapabilities, _meta: meta }: InitializeResponse,
  { forksAtMessage, asksForSteers }: Pick<AcpQuirks, 'forksAtMessage' | 'asksForSteers'>,
): SessionAbilities {
  const { loadSession, sessionCapabilities } = agentCapabilities ?? {};
  return {
    resumeMethods: [
      ...(loadSession === true ? (['load'] as const) : []),
      ...(sessionCapabilities?.resume == null ? [] : (['resume'] as const)),
    ],
    forks: !offers(sessionCapabilities, 'fork') ? undefined : forksAtMessage ? 'at_message' : 'at_end',
    close: sessionCapabilities?.close != null,
    list: sessionCapabilities?.list != null,
    delete: sessionCapabilities?.delete != null,
    title: offers(sessionCapabilities, 'title'),
    steers: offersSteering(meta) ? 'by_method' : asksForSteers === true ? 'when_asked' : undefined,
    otherFolders: sessionCapabilities?.additionalDirectories != null,
  };
}

/** Maps the ways to sign in that an ACP agent lists. */
export function toAuthMethod(method: WireAuthMethod): AuthMethod {
  const { id, name, description, _meta: meta } = method;
  const base = { id, name, ...(description == null ? {} : { description }), ...(meta == null ? {} : { meta }) };
  const extras = parseAuthMethodExtras(method);
  // A whole command says more than arguments for the agent's own, so it comes first.
  if (extras.terminal !== undefined) {
    const { command, args, env } = extras.terminal;
    return { ...base, type: 'terminal', command, args, env };
  }
  if ('type' in method && method.type === 'terminal') {
    return { ...base, type: 'terminal', args: method.args ?? [], env: method.env ?? {} };
  }
  const keys = keyVariables(extras, `${name}\n${description ?? ''}`);
  return keys === undefined ? { ...base, type: 'agent' } : { ...base, type: 'agent', keys };
}

/** Matches a name such as `OPENAI_API_KEY` in the text for users. */
const namedVariable = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:KEY|TOKEN)\b/g;

/** Providers whose variables do not begin with their names. */
const variablesOfProvider: Readonly<Record<string, readonly string[]>> = { google: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'] };

function keyVariables({ variables, keyProvider }: AuthMethodExtras, words: string): KeyVariables | undefined {
  const needed = variables.filter(({ optional }) => optional !== true).map(({ name }) => name);
  if (needed.length > 0) return { names: needed, needs: 'all' };
  const named = [...new Set(words.match(namedVariable) ?? [])];
  if (named.length > 0) return { names: named, needs: 'any' };
  if (keyProvider === undefined) return undefined;
  const provider = keyProvider.toLowerCase();
  const ownName = `${keyProvider.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}_API_KEY`;
  return { names: Object.hasOwn(variablesOfProvider, provider) ? (variablesOfProvider[provider] ?? []) : [ownName], needs: 'any' };
}
