import type { KnownAgent } from '../core/index.js';

/**
 * Returns the usual command that installs an agent, and the one with pip if there is one: it needs only what most machines have.
 * Call this if it is not known which of them the machine can run.
 */
export function installText({ command, otherCommands = [] }: NonNullable<KnownAgent['install']>): string {
  const withPip = otherCommands.filter((one) => one.startsWith('pip '));
  return [command, ...withPip].map((one) => `\`${one}\``).join(' or ');
}
