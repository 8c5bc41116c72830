/** Starts the agent once, as far as its first answer, and looks at how it answers. */
import { exampleCommandLine } from '../agents/knownAgents.js';
import type { AgentInfo } from '../backends/agentBackend.js';
import { systemClock } from '../base/clock.js';
import { toHostError } from '../base/errors.js';
import { createAgentHost } from '../host/agentHost.js';
import type { AgentHostOptions } from '../host/api.js';
import type { Finding } from './finding.js';

/** A start that people notice. */
const slowMs = 5_000;
const stderrLines = 12;
const noiseLines = 5;

export async function checkHandshake(options: AgentHostOptions, signal: AbortSignal): Promise<readonly Finding[]> {
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
    return [answeredFinding(label, info, tookMs), ...noiseFinding(label, noise), capabilitiesFinding(info, host.resumeMethods)];
  } catch (thrown) {
    const error = toHostError(thrown);
    const words = [error.message, ...noise, host.stderrTail(stderrLines)].filter((line) => line !== '');
    return [
      { check: 'handshake', state: 'problem', title: `${label} did not start`, detail: words.join('\n'), advice: adviceFor(error.code) },
    ];
  } finally {
    await host.stop();
    host.dispose();
  }
}

function answeredFinding(label: string, info: AgentInfo, tookMs: number): Finding {
  const who = [info.title ?? info.name, info.version].filter((word) => word !== undefined).join(' ');
  const title = `${who} answered after ${(tookMs / 1000).toFixed(1)} s`;
  if (tookMs < slowMs) return { check: 'handshake', state: 'ok', title };
  return {
    check: 'handshake',
    state: 'warning',
    title,
    advice: `${label} starts slowly: everything works, the first message waits for it. A virus scanner or a cold disk are usual reasons.`,
  };
}

function noiseFinding(label: string, noise: readonly string[]): readonly Finding[] {
  if (noise.length === 0) return [];
  return [
    {
      check: 'handshake',
      state: 'warning',
      title: `${label} prints lines that are no messages`,
      detail: noise.join('\n'),
      advice: 'They are skipped. Its logging belongs on stderr; a script around it should print nothing.',
    },
  ];
}

function adviceFor(code: string): string {
  switch (code) {
    case 'agent_not_found':
      return 'Install it, or correct its command.';
    case 'handshake_timeout':
      return 'Start the command by itself in a terminal: an agent waits for input in silence. If it asks something, answer it there first.';
    case 'version_unsupported':
      return 'Update the agent or this host, whichever is older.';
    default:
      return `Check that the command and its arguments start an agent that speaks ACP over stdin and stdout, e.g. \`${exampleCommandLine}\`.`;
  }
}

/** What the agent says it can do, as a table. */
function capabilitiesFinding(
  { promptContent, mcpTransports, authMethods, protocolVersion }: AgentInfo,
  resumeMethods: readonly string[],
): Finding {
  const offers = (yes: boolean): string => (yes ? 'yes' : 'no');
  const rows: readonly (readonly [string, string])[] = [
    ['protocol version', String(protocolVersion)],
    ['load a session', offers(resumeMethods.includes('load'))],
    ['resume a session', offers(resumeMethods.includes('resume'))],
    ['images in a prompt', offers(promptContent.includes('image'))],
    ['audio in a prompt', offers(promptContent.includes('audio'))],
    ['file contents in a prompt', offers(promptContent.includes('resource'))],
    ['MCP over HTTP', offers(mcpTransports.includes('http'))],
    ['MCP over SSE', offers(mcpTransports.includes('sse'))],
    ['ways to sign in', authMethods.map(({ name }) => name).join(', ') || 'none'],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return {
    check: 'capabilities',
    state: 'note',
    title: 'What the agent can do',
    detail: rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n'),
  };
}
