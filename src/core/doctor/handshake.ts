/** Starts the agent once, until its first answer or its first session, and checks how it answers. */
import { exampleCommandLine } from '../agents/knownAgents.js';
import type { AgentInfo, AuthMethod } from '../backends/agentBackend.js';
import { systemClock } from '../base/clock.js';
import { toHostError } from '../base/errors.js';
import { createAgentHost } from '../host/agentHost.js';
import type { AgentHost, AgentHostOptions } from '../host/api.js';
import type { Finding } from './finding.js';

/** From here on, users notice that the start takes time. */
const slowMs = 5_000;
const stderrLines = 12;
const noiseLines = 5;

interface HandshakeOptions {
  readonly signal: AbortSignal;
  /** Whether to open a session after the handshake. */
  readonly opensSession: boolean;
}

export async function checkHandshake(options: AgentHostOptions, { signal, opensSession }: HandshakeOptions): Promise<readonly Finding[]> {
  const host = createAgentHost(options);
  const noise: string[] = [];
  const { label } = options.agent;
  host.onTraffic((entry) => {
    if (entry.kind === 'noise' && noise.length < noiseLines) noise.push(entry.text);
  });
  const startedAt = systemClock.now();
  try {
    const info = await host.start(signal);
    const tookMs = systemClock.now() - startedAt;
    const found = [answeredFinding(label, info, tookMs), ...noiseFinding(label, noise), capabilitiesFinding(info, host.resumeMethods)];
    return opensSession ? [...found, await sessionFinding(host, label)] : found;
  } catch (thrown) {
    const error = toHostError(thrown);
    const params = {
      agent: label,
      error: error.toData(),
      lines: noise,
      stderrTail: host.stderrTail(stderrLines),
      ...('url' in options.agent ? {} : { exampleCommand: exampleCommandLine }),
    };
    return [{ check: 'handshake', state: 'problem', code: 'handshake_failed', params }];
  } finally {
    await host.stop();
    host.dispose();
  }
}

async function sessionFinding(host: AgentHost, agent: string): Promise<Finding> {
  const startedAt = systemClock.now();
  try {
    await host.newSession();
    return { check: 'session', state: 'ok', code: 'session_opened', params: { agent, tookMs: systemClock.now() - startedAt } };
  } catch (thrown) {
    const error = toHostError(thrown);
    const signIn = host.info?.authMethods.map(methodName) ?? [];
    const params = { agent, error: error.toData(), stderrTail: host.stderrTail(stderrLines), signIn };
    const code = error.code === 'auth_required' ? 'session_needs_sign_in' : 'session_failed';
    return { check: 'session', state: 'problem', code, params };
  }
}

/** Adds the id by which the user chooses the method. */
function methodName({ id, name }: AuthMethod): string {
  return name === id ? name : `${name} (${id})`;
}

function answeredFinding(label: string, info: AgentInfo, tookMs: number): Finding {
  const version = info.version === undefined ? {} : { version: info.version };
  const params = { agent: label, name: info.title ?? info.name, ...version, tookMs };
  return tookMs < slowMs
    ? { check: 'handshake', state: 'ok', code: 'handshake_answered', params }
    : { check: 'handshake', state: 'warning', code: 'handshake_slow', params };
}

function noiseFinding(label: string, lines: readonly string[]): readonly Finding[] {
  return lines.length === 0 ? [] : [{ check: 'handshake', state: 'warning', code: 'handshake_noise', params: { agent: label, lines } }];
}

function capabilitiesFinding(
  { promptContent, mcpTransports, authMethods, protocolVersion }: AgentInfo,
  resumeMethods: readonly string[],
): Finding {
  return {
    check: 'capabilities',
    state: 'note',
    code: 'capabilities',
    params: {
      protocolVersion,
      load: resumeMethods.includes('load'),
      resume: resumeMethods.includes('resume'),
      image: promptContent.includes('image'),
      audio: promptContent.includes('audio'),
      resource: promptContent.includes('resource'),
      mcpHttp: mcpTransports.includes('http'),
      mcpSse: mcpTransports.includes('sse'),
      signIn: authMethods.map(methodName),
    },
  };
}
