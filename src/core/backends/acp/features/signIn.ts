/** ACP `authMethods` of the type `terminal`: the agent's own command, run where a person can answer it. The front end runs it. */
import type { AcpFeature } from './feature.js';

export const signIn: AcpFeature = {
  capabilities: ({ terminalAuth }) => (terminalAuth ? { auth: { terminal: true } } : {}),
};
