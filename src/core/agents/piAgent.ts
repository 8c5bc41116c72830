import type { KnownAgent } from './agentKnowledge.js';

/** Pi behind its adapter. Pi has no permissions: whatever it is told to do, it does. Source: pi-acp 0.0.34 with pi 0.74.2, measured. */
export const piAgent = { id: 'pi-acp', label: 'pi' } satisfies KnownAgent;
