import { checkPrompt, type ConversationClient, type ConversationCommand } from '../../core/index.js';
import { agentLabel } from '../chat/headerView.js';
import { execute } from '../conversation/execute.js';
import type { ActionScope } from './actionScope.js';

type Send = Extract<ConversationCommand, { readonly type: 'send' }>;

/** What the user may have to answer before a message is sent. */
export type BeforeSending = Pick<ActionScope, 'confirm' | 'saveNamed'>;

/**
 * Sends a new message. If the agent is known to hang on it, the user decides first. Files that it names are saved.
 * @returns whether it was sent
 * @throws HostError as `execute`, and `usage` if a file could not be saved
 */
export async function sendPrompt(
  conversation: ConversationClient,
  prompt: Omit<Send, 'type'>,
  { confirm, saveNamed }: BeforeSending,
): Promise<boolean> {
  // A conversation that was opened just now may not know yet which agent would start.
  if (conversation.state.agent === undefined) await conversation.execute({ type: 'refresh_agent' });
  const { state } = conversation;
  const risk = checkPrompt(state.info ?? { name: state.agent?.id ?? '' }, prompt.content);
  if (risk !== undefined) {
    const agent = agentLabel(state);
    const detail = `It contains ${risk.runChars.toLocaleString('en')} characters in a row without a space, which can keep ${agent} busy for seconds or minutes. Meanwhile, it doesn't respond, and Stop has no effect. To avoid this, attach the text as a file.`;
    if (!(await confirm(`This message can freeze ${agent}`, detail, 'Send Anyway'))) return false;
  }
  if (!(await saveNamed(prompt.content))) return false;
  return execute(conversation, { type: 'send', ...prompt });
}
