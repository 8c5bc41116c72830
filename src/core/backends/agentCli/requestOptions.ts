/** The settings of a request as options whose ids are the protocol's names. A setting at its default is not sent, so the server decides. */
import type { SessionOption } from '../../session/model.js';
import type { SendOptions } from './agentCliLine.js';

const unset = 'default';

export const requestOptions: readonly SessionOption[] = [
  { type: 'boolean', id: 'ask_before_tool_execution', name: 'Confirm Tools', currentValue: true },
  { type: 'boolean', id: 'use_tools', name: 'Use Tools', currentValue: true },
  selected('max_tokens', 'Max Tokens', 'count', ['1024', '4096', '16384']),
  selected('max_context_num', 'Max Messages', 'count', ['5', '10', '20']),
  selected('prompt', 'Prompt', 'text', []),
];

export function sendOptionsOf(options: readonly SessionOption[]): SendOptions {
  const valueOf = (id: string): string | boolean | undefined => options.find((option) => option.id === id)?.currentValue;
  const given = (id: string): string | undefined => {
    const value = valueOf(id);
    return typeof value === 'string' && value !== unset ? value : undefined;
  };
  const [tokens, contexts, prompt] = [given('max_tokens'), given('max_context_num'), given('prompt')];
  return {
    config: {
      ask_before_tool_execution: valueOf('ask_before_tool_execution') === true,
      ...(tokens !== undefined && { max_tokens: Number(tokens) }),
      ...(contexts !== undefined && { max_context_num: Number(contexts) }),
      ...(prompt !== undefined && { prompt }),
    },
    useTools: valueOf('use_tools') === true,
  };
}

function selected(id: string, name: string, custom: 'text' | 'count', values: readonly string[]): SessionOption {
  const choices = [unset, ...values].map((value) => ({ value, name: value }));
  return { type: 'select', id, name, currentValue: unset, choices, custom };
}
