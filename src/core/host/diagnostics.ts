import type { AgentHostOptions, HostDiagnostics } from './api.js';

type Parts = Omit<HostDiagnostics, 'agent' | 'cwd'> & {
  readonly options: AgentHostOptions;
  readonly redact: (text: string) => string;
};

export function toDiagnostics({ options, redact, ...rest }: Parts): HostDiagnostics {
  const { id, label, command, args, protocol } = options.agent;
  return { ...rest, agent: { id, label, command, args: args.map(redact), protocol }, cwd: options.cwd };
}
