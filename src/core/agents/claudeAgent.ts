import type { KnownAgent } from './agentKnowledge.js';
import { standardQuirks } from './standardQuirks.js';

/**
 * Claude Code through one of its two adapters. The newer one starts in the mode `auto`, which asks about nothing by itself. Source:
 * claude-agent-acp 0.101.0 and claude-code-acp 0.16.2, both measured as root in a container.
 */
export const claudeAgent = {
  id: 'claude-agent-acp',
  otherNames: ['@agentclientprotocol/claude-agent-acp', 'claude-code-acp', '@zed-industries/claude-code-acp'],
  label: 'Claude Code',
  launch: { command: 'claude-agent-acp', args: [] },
  program: { command: 'claude' },
  install: { command: 'npm install --global @agentclientprotocol/claude-agent-acp' },
  askGate: { by: 'mode', mode: 'default' },
  acpQuirks: () => ({
    ...standardQuirks,
    failureHint: (reason) =>
      reason.includes('--dangerously-skip-permissions cannot be used with root')
        ? { code: 'refuses_root', params: { variable: 'IS_SANDBOX', value: '1' } }
        : undefined,
  }),
} satisfies KnownAgent;
