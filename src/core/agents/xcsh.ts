import type { KnownAgent } from './agentKnowledge.js';

/** A fork of Oh My Pi. Like Pi, it never asks for permission. Source: xcsh 17.4.4, measured. */
export const xcsh = {
  id: 'xcsh',
  label: 'xcsh',
  protocol: 'xcsh',
  launch: { command: 'xcsh', args: ['--mode', 'rpc'] },
} satisfies KnownAgent;
