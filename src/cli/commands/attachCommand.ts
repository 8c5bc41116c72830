/** `acp-host attach`: joins a conversation that goes on without it. */
import type { ConversationListEntry } from '../../core/index.js';
import type { RequestOf } from '../arguments/parseArguments.js';
import { Chat } from '../conversation/chat.js';
import { Conversation } from '../conversation/conversation.js';
import { servicesWhileJoined } from '../conversation/openConversation.js';
import { createAttachFrontEnd } from '../frontEnds/chatFrontEnd.js';
import { ExitCode, exitCodeOfSignal } from '../output/exitCode.js';
import { useEngine } from '../system/engine.js';
import { onInterrupts } from '../system/interrupts.js';
import { realFolder } from '../system/files.js';
import { hurry, type Io } from '../system/io.js';
import { findConversation, lastUsed, onlyActive } from '../system/conversations.js';

/** @throws HostError `usage` for an unknown ID, and why there is no engine */
export async function runAttach(request: RequestOf<'attach'>, io: Io): Promise<number> {
  const folder = (await realFolder(process.cwd())) ?? process.cwd();
  let entry: ConversationListEntry | undefined;
  const services = servicesWhileJoined(
    () => entry?.agent?.id,
    () => entry?.cwd ?? folder,
    io,
  );
  const engine = await useEngine({ state: request.state, use: 'share', services }, io);
  const { client } = engine;
  let chat: Chat | undefined;
  const leave = (): void => chat?.leave(ExitCode.ended);
  try {
    const { id, last } = request;
    entry = id !== undefined ? findConversation(client, id) : last ? lastUsed(client) : onlyActive(client, folder);
    const replica = client.open({ cwd: entry.cwd, id: entry.id });
    const isOnServer = (): boolean => replica.state.agent?.isServer === true;
    const frontEnd = createAttachFrontEnd(request, entry, { io, isOnServer, onEnd: leave });
    const conversation = new Conversation({ request, frontEnd, engine, client: replica, env: io.env, isJoined: true });
    chat = new Chat(frontEnd, conversation, undefined, true);
    frontEnd.listen(chat);
  } catch (error) {
    await engine.end();
    throw error;
  }
  const interrupts = onInterrupts({
    interrupt: () => chat.interrupt(),
    end(signal) {
      hurry(io);
      chat.leave(exitCodeOfSignal(signal));
    },
    quit: leave,
  });
  // Its reader is gone, so the rest is of no use here.
  io.stdout.on('error', leave);
  const exitCode = await chat.run();
  interrupts.dispose();
  return exitCode;
}
