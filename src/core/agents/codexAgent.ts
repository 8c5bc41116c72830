import type { KnownAgent } from './agentKnowledge.js';

/**
 * Codex through its adapter. It starts in a mode in which it decides by itself what is safe, and runs commands and writes files without
 * asking. In the mode of `askGate`, it does neither. Source: codex-acp 2.6.0, measured.
 */
export const codexAgent = {
  id: 'codex-acp',
  otherNames: ['@agentclientprotocol/codex-acp'],
  label: 'Codex',
  launch: { command: 'codex-acp', args: [] },
  program: { command: 'codex' },
  install: { command: 'npm install --global @agentclientprotocol/codex-acp' },
  askGate: { by: 'mode', mode: 'read-only' },
} satisfies KnownAgent;
