import type { KnownAgent } from './agentKnowledge.js';

/** Oh My Pi: a fork of Pi that has the protocol of its own fork, xcsh. Source: omp 14.9.9, measured. */
export const omp = {
  id: 'omp',
  label: 'omp',
  protocol: 'xcsh',
  launch: { command: 'omp', args: ['--mode', 'rpc'] },
} satisfies KnownAgent;
