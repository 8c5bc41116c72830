import type { KnownAgent } from './agentKnowledge.js';

/**
 * Pi through its own protocol. It has no permissions: it does whatever it is told, unless an extension asks. Source: pi 0.74.2 and 1.5.2,
 * measured.
 */
export const pi = {
  id: 'pi',
  label: 'Pi',
  protocol: 'pi',
  launch: { command: 'pi', args: ['--mode', 'rpc'] },
  install: { command: 'npm install --global --ignore-scripts @earendil-works/pi-coding-agent' },
  askGate: { by: 'extension', file: 'askFirst.js' },
  endsWithInput: true,
} satisfies KnownAgent;
