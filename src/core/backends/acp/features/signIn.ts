/**
 * ACP `authMethods` of the type `terminal`: the agent's own command, run where a person can answer it. The front end runs it. `terminal-auth` is
 * how several agents ask for it, and they name a command of their own.
 */
import type { AcpFeature } from './feature.js';

export const signIn: AcpFeature = {
  capabilities: ({ terminalAuth }) => (terminalAuth ? { auth: { terminal: true }, _meta: { 'terminal-auth': true } } : {}),
};
