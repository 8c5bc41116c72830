import type { KnownAgent } from './agentKnowledge.js';

/**
 * Pi behind its adapter. Pi has no permissions: whatever it is told to do, it does, unless an extension asks, whose questions the adapter hands on. Its
 * modes are levels of thinking. Source: pi-acp 0.0.34 with pi 0.74.2 and 0.87.1, measured.
 */
export const piAgent = { id: 'pi-acp', label: 'pi', askGate: { by: 'extension', file: 'askFirst.js' } } satisfies KnownAgent;
