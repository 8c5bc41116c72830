/** The stand-in for the Pi family, for the conformance suite. */
import { fileURLToPath } from 'node:url';
import type { ConnectOptions } from '../../src/core/backends/agentBackend.js';

export const piDialects = ['pi074', 'pi087', 'xcsh'] as const;
export type StandInDialect = (typeof piDialects)[number];

const script = fileURLToPath(new URL('../standIns/piStandIn.mjs', import.meta.url));

/** @param sessions the folder in which it saves @param more arguments, as the stand-in describes them */
export function piStandIn(dialect: StandInDialect, sessions: string, more: readonly string[] = []): ConnectOptions['agent'] {
  return { label: dialect, command: process.execPath, args: [script, '--dialect', dialect, '--sessions', sessions, ...more], env: {} };
}
