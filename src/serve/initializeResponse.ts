import {
  type AuthMethod as WireAuthMethod,
  type ClientCapabilities,
  type InitializeResponse,
  PROTOCOL_VERSION,
} from '@agentclientprotocol/sdk';
import type { AgentInfo, AuthMethod, BackendSessions } from '../core/index.js';

interface Served {
  readonly info: AgentInfo;
  readonly sessions: BackendSessions;
  readonly client: ClientCapabilities;
  readonly version: string;
  readonly signInArguments?: ((methodId: string) => readonly string[]) | undefined;
}

/**
 * Declares what the agent supports, and nothing else. It has the name of this program, so that a client that knows the agent does not apply
 * workarounds a second time.
 */
export function toInitializeResponse({ info, sessions, client, version, signInArguments }: Served): InitializeResponse {
  const { promptContent, mcpTransports, capabilities } = info;
  const { resumeMethods, forks, saved } = sessions;
  const ofVendor = capabilities['_meta'];
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'acp-host', title: info.title ?? info.name, version },
    agentCapabilities: {
      loadSession: resumeMethods.includes('load'),
      promptCapabilities: {
        image: promptContent.includes('image'),
        audio: promptContent.includes('audio'),
        embeddedContext: promptContent.includes('resource'),
      },
      ...(info.signsOut === true ? { auth: { logout: {} } } : {}),
      mcpCapabilities: { http: mcpTransports.includes('http'), sse: mcpTransports.includes('sse') },
      sessionCapabilities: {
        close: {},
        ...(resumeMethods.includes('resume') ? { resume: {} } : {}),
        ...(saved === undefined ? {} : { list: {} }),
        ...(saved?.remove === undefined ? {} : { delete: {} }),
        ...(forks === undefined ? {} : { fork: {} }),
      },
      ...(typeof ofVendor === 'object' && ofVendor !== null ? { _meta: { ...ofVendor } } : {}),
    },
    authMethods: info.authMethods.flatMap((method) => wireMethod(method, client.auth?.terminal === true ? signInArguments : undefined)),
    _meta: { 'acp-host': { agent: { name: info.name, ...(info.version === undefined ? {} : { version: info.version }) } } },
  };
}

/** This program runs what the agent would run in a terminal, because the client only knows its command. */
function wireMethod(
  { id, name, description, ...method }: AuthMethod,
  signInArguments: ((methodId: string) => readonly string[]) | undefined,
): readonly WireAuthMethod[] {
  const base = { id, name, ...(description === undefined ? {} : { description }) };
  if (method.type === 'agent') return [{ ...base, ...(method.meta === undefined ? {} : { _meta: { ...method.meta } }) }];
  return signInArguments === undefined ? [] : [{ ...base, type: 'terminal', args: [...signInArguments(id)] }];
}
