/** `/steer` and `/followup`: what a person at a terminal says to the turn that runs. */
import type { PromptDelivery } from './chatFrontEnd.js';

const commands: Readonly<Record<string, PromptDelivery>> = { steer: 'steer', followup: 'followUp' };

/** Returns undefined for a prompt. A command of the agent with the same name is the agent's. */
export function parseDeliveryCommand(
  line: string,
  agentCommands: readonly string[],
): { readonly text: string; readonly delivery: PromptDelivery } | undefined {
  const [, name = '', text = ''] = /^\/(steer|followup)\s+(\S.*)$/s.exec(line.trim()) ?? [];
  const delivery = commands[name];
  return delivery === undefined || agentCommands.includes(name) ? undefined : { text, delivery };
}
