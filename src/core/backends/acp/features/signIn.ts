/**
 * ACP `authMethods` of the type `terminal`: the agent's own command, which the front end runs where the user can answer it. Several agents
 * use `terminal-auth` for this, with a command of their own.
 */
import type { AcpFeature } from './feature.js';

export const signIn: AcpFeature = {
  capabilities: ({ terminalAuth }) => (terminalAuth ? { auth: { terminal: true }, _meta: { 'terminal-auth': true } } : {}),
};
