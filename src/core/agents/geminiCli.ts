import type { KnownAgent } from './agentKnowledge.js';

/** Source: gemini-cli 0.61.0, measured. The files of its sessions are named by the minute. */
export const geminiCli = {
  id: 'gemini-cli',
  label: 'Gemini CLI',
  askGate: { by: 'mode', mode: 'default' },
  loadsFromNextMinute: true,
} satisfies KnownAgent;
