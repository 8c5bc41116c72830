/** `/steer` and `/followup`: prompts for the running turn. */
import type { AvailableCommand } from '../../core/index.js';
import type { PromptDelivery } from './chatFrontEnd.js';
import { isOwnCommand } from './ownCommands.js';

/** Returns undefined for a prompt. */
export function parseDeliveryCommand(
  line: string,
  agentCommands: readonly AvailableCommand[],
): { readonly text: string; readonly delivery: PromptDelivery } | undefined {
  const [, name = '', text = ''] = /^\/(steer|followup)\s+(\S.*)$/s.exec(line.trim()) ?? [];
  if (!isOwnCommand(name, agentCommands)) return undefined;
  return { text, delivery: name === 'steer' ? 'steer' : 'followUp' };
}
