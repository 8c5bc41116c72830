import { HostError } from '../base/errors.js';
import { resolveLaunch } from '../node/resolveCommand.js';
import { runTool } from '../node/runTool.js';
import type { Installing } from './installAgent.js';

/** A run of a package manager in the folder of the new version. */
export interface PackageToolRun {
  /** A command, or an absolute path. */
  readonly tool: string;
  /** For people. */
  readonly toolName: string;
  readonly args: readonly string[];
  /** Variables to add to the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** @throws HostError `install_failed` if it is not there, or does not end with 0; `cancelled` */
export async function runPackageTool({ tool, toolName, args, env }: PackageToolRun, installing: Installing): Promise<void> {
  const { folder, signal, onStep } = installing;
  const whole = { ...installing.env, ...env };
  const launch = await resolveLaunch(tool, { env: whole });
  if (launch === undefined) throw new HostError('install_failed', { reason: 'tool_missing', tool: toolName });
  onStep({ type: 'running', tool: toolName });
  const { exitCode, lastLines } = await runTool({
    launch,
    args,
    cwd: folder,
    env: whole,
    signal,
    onLine: (line) => onStep({ type: 'running', tool: toolName, line }),
  });
  if (exitCode === 0) return;
  throw new HostError('install_failed', { reason: 'tool_failed', tool: toolName, exitCode, detail: lastLines.join('\n').trim() });
}
