/** ACP v1 `initialize`: what the host says of itself and what it makes of the answer. */
import type { InitializeRequest, InitializeResponse } from '@agentclientprotocol/sdk';
import { HostError, toHostError } from '../../base/errors.js';
import type { ExitInfo } from '../../node/exitInfo.js';
import type { AgentInfo } from '../agentBackend.js';
import { PROTOCOL_VERSION } from './schema/methods.js';

export interface HostIdentity {
  readonly clientInfo: { readonly name: string; readonly title: string; readonly version: string };
  /** The agent's command can be run in a terminal for signing in. */
  readonly terminalAuth: boolean;
}

/** Only what works is declared: an agent relies on it. */
export function initializeParams({ clientInfo, terminalAuth }: HostIdentity): InitializeRequest {
  return {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo,
    clientCapabilities: {
      session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
      ...(terminalAuth ? { auth: { terminal: true } } : {}),
    },
  };
}

/** @throws HostError `version_unsupported` */
export function toAgentInfo(result: InitializeResponse, configuredName: string): AgentInfo {
  if (result.protocolVersion !== PROTOCOL_VERSION) {
    throw new HostError(
      'version_unsupported',
      `The agent speaks version ${result.protocolVersion} of the protocol, this host version ${PROTOCOL_VERSION}.`,
      {
        data: { agentVersion: result.protocolVersion, hostVersions: [PROTOCOL_VERSION] },
      },
    );
  }
  const { agentInfo } = result;
  return {
    name: agentInfo?.name ?? configuredName,
    title: agentInfo?.title ?? undefined,
    version: agentInfo?.version || undefined,
    protocolVersion: result.protocolVersion,
    capabilities: result.agentCapabilities ?? {},
    authMethods: result.authMethods ?? [],
  };
}

/** Enough to recognize a line by. */
const noiseChars = 200;

/**
 * Why a start failed, in the codes of a start.
 * @param firstNoise redacted; what it printed where messages belong
 */
export function toHandshakeError(thrown: unknown, exit: ExitInfo | undefined, firstNoise?: string): HostError {
  const error = toHostError(thrown);
  const noise =
    firstNoise === undefined
      ? undefined
      : firstNoise
          .replaceAll(/\p{Cc}+/gu, ' ')
          .trim()
          .slice(0, noiseChars);
  const fail = (code: 'handshake_failed' | 'handshake_timeout', words: string, data: HostError['data']): HostError =>
    new HostError(code, noise === undefined ? words : `${words} ${describeNoise(noise)}`, {
      cause: error,
      data: noise === undefined ? data : { ...data, firstNoise: noise },
    });
  switch (error.code) {
    case 'request_timeout':
      return fail('handshake_timeout', 'The agent started and did not answer `initialize` in time.', error.data);
    case 'agent_exited':
      return fail('handshake_failed', `The agent ended before it answered \`initialize\`${describeExit(exit)}.`, exitData(exit));
    case 'request_failed':
    case 'invalid_response':
    case 'invalid_message':
    case 'line_too_long':
    case 'queue_full':
      return fail('handshake_failed', `The agent did not answer \`initialize\` properly: ${error.message}`, error.data);
    default:
      return error;
  }
}

function describeNoise(firstNoise: string): string {
  return `On stdout, where only messages belong, it printed "${firstNoise}": look for the program, a wrapper or a start file of the shell that writes this.`;
}

export function describeExit(exit: ExitInfo | undefined): string {
  if (exit === undefined) return '';
  return exit.signal === null ? ` (exit code ${exit.code ?? 'unknown'})` : ` (${exit.signal})`;
}

export function exitData(exit: ExitInfo | undefined): Readonly<Record<string, unknown>> {
  return exit === undefined ? {} : { exitCode: exit.code, signal: exit.signal, ...(exit.requested ? { requested: true } : {}) };
}
