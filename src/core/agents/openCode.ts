import type { KnownAgent } from './agentKnowledge.js';

/** Source: the public registry of ACP agents, for opencode 1.18. */
export const openCode = {
  id: 'opencode',
  otherNames: ['OpenCode'],
  label: 'OpenCode',
  launch: { command: 'opencode', args: ['acp'] },
  install: { command: 'npm install --global opencode-ai' },
} satisfies KnownAgent;
