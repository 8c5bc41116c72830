/** One prompt, from its arrival to its stop reason. */
import type { ContentBlock, PromptResponse, StopReason } from '@agentclientprotocol/sdk/unstable';
import { CommandError } from './commandError.js';
import { findCommand, introduction, sayNoModel } from './commands/help.js';
import { compactHistory, sendUsage } from './context.js';
import { type DemoSession, historyLimitWords } from './session.js';
import { createTurn, type Turn } from './turn.js';

export interface PromptOptions {
  readonly prompt: readonly ContentBlock[];
  readonly signal: AbortSignal;
  readonly paceMs: number;
}

/** @throws RequestError if a command does; never because of a cancel, which is an outcome */
export async function runTurn(session: DemoSession, { prompt, signal, paceMs }: PromptOptions): Promise<PromptResponse> {
  const text = prompt
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('\n')
    .trim();
  const turn = createTurn({ session, signal, paceMs, attachments: prompt.filter((block) => block.type !== 'text') });
  const isFirst = session.history.length === 0;
  const startedAt = performance.now();
  try {
    await session.recordPrompt({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text } });
    if (isFirst) await introduce(turn, text);
    const stopReason = await obey(turn, text);
    if (session.settings.verbosity === 'detailed' && !isSilent(text))
      await turn.say(`*That took ${Math.round(performance.now() - startedAt)} ms.*`);
    await session.flush();
    await settleUsage(session, signal);
    return { stopReason };
  } catch (error) {
    await session.flush();
    if (signal.aborted) return { stopReason: 'cancelled' };
    throw error;
  }
}

async function introduce(turn: Turn, text: string): Promise<void> {
  const title = (text.split('\n')[0] ?? '').slice(0, 60) || 'Demo';
  await turn.session.send({ sessionUpdate: 'session_info_update', title, updatedAt: new Date().toISOString() });
  if (!isSilent(text)) await turn.say(introduction);
}

async function obey(turn: Turn, text: string): Promise<StopReason> {
  const { settings } = turn.session;
  if (settings.timestamps && !isSilent(text)) await turn.say(`*${new Date().toISOString()}*`);
  const found = findCommand(text);
  if (!found) {
    await sayNoModel(turn, text);
    return 'end_turn';
  }
  if (settings.verbosity === 'detailed' && !isSilent(text))
    await turn.think(`The first word names my command \`${found.command.name}\`. I carry it out.`);
  try {
    return (await found.command.run(turn, found.input)) ?? 'end_turn';
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    await turn.say(error.message);
    return 'end_turn';
  }
}

/** `fail silent` must show nothing at all, even in a first turn. */
function isSilent(text: string): boolean {
  return /^\/?fail\s+silent$/i.test(text);
}

async function settleUsage(session: DemoSession, signal: AbortSignal): Promise<void> {
  if (session.words > historyLimitWords) await compactHistory(session, signal);
  await sendUsage(session);
}
