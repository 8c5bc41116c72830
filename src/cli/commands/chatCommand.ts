/** `acp-host chat`: keeps one conversation open. */
import { usageError } from '../arguments/optionValues.js';
import type { RequestOf } from '../arguments/parseArguments.js';
import { Chat } from '../conversation/chat.js';
import { findTarget, openConversation } from '../conversation/openConversation.js';
import { createChatFrontEnd } from '../frontEnds/chatFrontEnd.js';
import { ExitCode, exitCodeOfSignal } from '../output/exitCode.js';
import { onInterrupts, unlessInterrupted } from '../system/interrupts.js';
import { hurry, type Io, isInteractive } from '../system/io.js';

/** @throws HostError `usage`, and other errors before there is an agent */
export async function runChat(request: RequestOf<'chat'>, io: Io): Promise<number> {
  if (request.format === 'text' && !isInteractive(io)) throw usageError('chat needs a terminal. From a program, use --format json');
  const target = await findTarget(request, io);
  const frontEnd = createChatFrontEnd(request, target.agent.definition, target.cwd, io);
  const conversation = await unlessInterrupted(openConversation(request, target, frontEnd, io)).catch((error: unknown) => {
    // The terminal as it was: it reads single keys for the line editor.
    frontEnd.answerer.dispose();
    throw error;
  });
  const chat = new Chat(frontEnd, conversation, request.recover);
  frontEnd.listen(chat);
  return untilLeft(chat, io, { goneWith: ExitCode.cancelled });
}

interface Leaving {
  /** If the reader of stdout is gone, so that the rest is of no use here. */
  readonly goneWith: ExitCode;
  /** Ctrl+\. */
  readonly quit?: () => void;
}

/** Runs the chat until it ends, or a signal ends it. @returns the exit code */
export async function untilLeft(chat: Chat, io: Io, { goneWith, quit }: Leaving): Promise<number> {
  const interrupts = onInterrupts({
    interrupt: () => chat.interrupt(),
    end(signal) {
      hurry(io);
      chat.leave(exitCodeOfSignal(signal));
    },
    ...(quit && { quit }),
  });
  io.stdout.on('error', () => chat.leave(goneWith));
  const exitCode = await chat.run();
  interrupts.dispose();
  return exitCode;
}
