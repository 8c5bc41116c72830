import type { KnownAgent } from './agentKnowledge.js';

/**
 * Codex behind its adapter. It begins in a mode in which it decides by itself what is safe, and runs commands and writes files without a question;
 * in this one it does neither. Source: codex-acp 2.6.0, measured.
 */
export const codexAgent = {
  id: 'codex-acp',
  otherNames: ['@agentclientprotocol/codex-acp'],
  label: 'Codex',
  askGate: { by: 'mode', mode: 'read-only' },
} satisfies KnownAgent;
