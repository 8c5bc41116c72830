import type { KnownAgent } from './agentKnowledge.js';

/**
 * Pi through its adapter. Pi has no permissions: it does whatever it is told, unless an extension asks; the adapter passes the extension's
 * questions on. Its modes are thinking levels. Source: pi-acp 0.0.34 with pi 0.74.2 and 0.87.1, measured.
 */
export const piAgent = { id: 'pi-acp', label: 'pi', askGate: { by: 'extension', file: 'askFirst.js' } } satisfies KnownAgent;
