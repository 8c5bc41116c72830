import { HostError } from '../../base/errors.js';

/**
 * Commands of the agent's own screen. Its RPC mode doesn't know them and would send them to the model as text. Source: `BUILTIN_SLASH_COMMANDS` of
 * Pi 0.74.2 and 1.5.2; omp 14.9.9 has most of them. `src/text` has the alternatives.
 */
export const screenCommands = [
  'settings',
  'model',
  'thinking',
  'scoped-models',
  'import',
  'share',
  'bug',
  'copy',
  'session',
  'changelog',
  'hotkeys',
  'tree',
  'trust',
  'login',
  'logout',
  'resume',
  'reload',
  'quit',
] as const;

/** @throws HostError `unsupported` for a command of the agent's own screen */
export function refuseScreenCommand(name: string): void {
  // The session would leave its conversation.
  if (name === 'new') throw new HostError('unsupported', { reason: 'new_session' });
  if (screenCommands.some((one) => one === name)) throw new HostError('unsupported', { reason: 'screen_command', command: name });
}
