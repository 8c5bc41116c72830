/** `acp-host attach`: joins a conversation that goes on without it. */
import type { RequestOf } from '../arguments/parseArguments.js';
import { Chat } from '../conversation/chat.js';
import { Conversation } from '../conversation/conversation.js';
import { joinConversation } from '../conversation/openConversation.js';
import { createAttachFrontEnd } from '../frontEnds/chatFrontEnd.js';
import { ExitCode } from '../output/exitCode.js';
import { findConversation, lastUsed, onlyActive } from '../system/conversations.js';
import type { Io } from '../system/io.js';
import { untilLeft } from './chatCommand.js';

/** @throws HostError `usage` for an unknown ID, and why there is no engine */
export async function runAttach(request: RequestOf<'attach'>, io: Io): Promise<number> {
  const { id, last } = request;
  const { engine, entry, client } = await joinConversation(request, io, (engine, folder) =>
    id !== undefined ? findConversation(engine, id) : last ? lastUsed(engine) : onlyActive(engine, folder),
  );
  const leave = (): void => chat.leave(ExitCode.ended);
  const isOnServer = (): boolean => client.state.agent?.isServer === true;
  const frontEnd = createAttachFrontEnd(request, entry, { io, isOnServer, onEnd: leave });
  const conversation = new Conversation({ request, frontEnd, engine, client, env: io.env, isJoined: true });
  const chat = new Chat(frontEnd, conversation, undefined, true);
  frontEnd.listen(chat);
  return untilLeft(chat, io, { goneWith: ExitCode.ended, quit: leave });
}
