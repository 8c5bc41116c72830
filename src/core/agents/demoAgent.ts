import type { KnownAgent } from './agentKnowledge.js';

/** The agent without a model that ships with each front end (src/demo-agent). */
export const demoAgent = {
  id: 'demo',
  label: 'Demo agent',
  commonName: 'demo agent',
  launch: { bundle: 'demo-agent' },
  isFallback: true,
  tour: { helpPrompt: 'help', examples: ['list', 'plan', 'ask'] },
} satisfies KnownAgent;
