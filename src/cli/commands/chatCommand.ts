/** `acp-host chat`: one conversation, kept open. */
import { HostError } from '../../core/index.js';
import type { ChatRequest } from '../arguments/request.js';
import { Chat } from '../conversation/chat.js';
import { Conversation } from '../conversation/conversation.js';
import { findTarget } from '../conversation/target.js';
import { createChatFrontEnd } from '../frontEnds/chatFrontEnd.js';
import { ExitCode, exitCodeOfSignal } from '../output/exitCode.js';
import { onInterrupts } from '../system/interrupts.js';
import { type Io, isInteractive } from '../system/io.js';

/** @throws HostError `usage` and what else is wrong before there is an agent */
export async function runChat(request: ChatRequest, io: Io): Promise<number> {
  if (request.format === 'text' && !isInteractive(io))
    throw new HostError('usage', 'chat needs a terminal to type in. A program uses --format json');
  const place = await findTarget(request, io);
  const frontEnd = createChatFrontEnd(request, place.agent.definition, place.cwd, io);
  const chat = new Chat(frontEnd, new Conversation(request, place, frontEnd, io), request.recover);
  const interrupts = onInterrupts({ interrupt: () => chat.interrupt(), end: (signal) => chat.leave(exitCodeOfSignal(signal)) });
  io.stdout.on('error', () => chat.leave(ExitCode.cancelled));
  frontEnd.listen(chat);
  const exitCode = await chat.run();
  interrupts.dispose();
  return exitCode;
}
