import { addressOf } from '../agents/agentDefinition.js';
import type { AgentHostOptions, HostDiagnostics } from './api.js';

type Parts = Omit<HostDiagnostics, 'agent' | 'cwd'> & {
  readonly options: AgentHostOptions;
  readonly redact: (text: string) => string;
};

export function toDiagnostics({ options, redact, ...rest }: Parts): HostDiagnostics {
  const { id, label, protocol } = options.agent;
  return { ...rest, agent: { id, label, protocol, address: redact(addressOf(options.agent)) }, cwd: options.cwd };
}
