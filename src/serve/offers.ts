/** What `serve` offers: to a client, and in a session. */
import {
  type ClientCapabilities,
  type InitializeResponse,
  PROTOCOL_VERSION,
  type AuthMethod as WireAuthMethod,
} from '@agentclientprotocol/sdk';
import { type AcpOffer, type AgentInfo, type AuthMethod, type BackendSessions, type SessionOption, toAcpOffer } from '../core/index.js';

const switchValues = ['on', 'off'] as const;

export const optionsForm = { listsMode: true } as const;

/**
 * The options of a session for a client that may not support all of them: a switch becomes a list of two values for a client without
 * switches.
 */
export function offerFor(options: readonly SessionOption[], client: ClientCapabilities): AcpOffer {
  return toAcpOffer(
    options.map((option) => optionFor(option, client)),
    optionsForm,
  );
}

export function optionFor(option: SessionOption, client: ClientCapabilities): SessionOption {
  if (option.type !== 'boolean' || client.session?.configOptions?.boolean != null) return option;
  const choices = switchValues.map((value) => ({ value, name: value === 'on' ? 'On' : 'Off' }));
  return { ...option, type: 'select', currentValue: option.currentValue ? 'on' : 'off', choices };
}

/** Returns the value of the option for the value that the client set. */
export function valueFor(options: readonly SessionOption[], id: string, value: string | boolean): string | boolean {
  const isSwitch = options.some((option) => option.id === id && option.type === 'boolean');
  if (!isSwitch || typeof value === 'boolean') return value;
  return value === 'on' ? true : value === 'off' ? false : value;
}

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
