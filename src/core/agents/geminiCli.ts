import type { KnownAgent } from './agentKnowledge.js';

/** The names of its session files contain the minute. Source: gemini-cli 0.61.0, measured. */
export const geminiCli = {
  id: 'gemini-cli',
  label: 'Gemini CLI',
  launch: { command: 'gemini', args: ['--acp'] },
  install: { command: 'npm install --global @google/gemini-cli' },
  askGate: { by: 'mode', mode: 'default' },
  loadsFromNextMinute: true,
} satisfies KnownAgent;
