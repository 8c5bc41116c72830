import { messageOf } from '../toolCall.js';
import type { Turn } from '../turn.js';
import { type Command, needed, splitFirst } from './command.js';

/** @param find finds the command that the sub-agent carries out */
export function delegateCommand(find: (text: string) => { readonly command: Command; readonly input: string } | undefined): Command {
  return {
    name: 'delegate',
    hint: '[background] COMMAND',
    description: 'Let a sub-agent carry out a command, while the turn waits or after it',
    async run(turn, input) {
      const { first, rest } = splitFirst(input);
      const isBackground = first === 'background';
      const task = needed((isBackground ? rest : input).trim(), 'delegate COMMAND');
      const found = find(task);
      if (found === undefined || found.command.name === 'delegate') return turn.say('A sub-agent can carry out one of my other commands.');
      if (turn.session.capabilities.subagents == null) {
        await turn.say('Your client shows no sub-agents, so I do it myself.');
        return found.command.run(turn, found.input);
      }
      const work = carryOut(turn, found.command, task, found.input);
      if (isBackground) return turn.say('A sub-agent works on it. You can go on.');
      await turn.say(`The sub-agent ${await work}.`);
    },
  };
}

/** @returns how it ended; never rejects */
async function carryOut(turn: Turn, command: Command, task: string, input: string): Promise<string> {
  const { session } = turn;
  const stopped = new AbortController();
  const child = session.subagent(stopped);
  const report = (update: object): Promise<void> => session.send({ sessionUpdate: 'subagent_update', sessionId: child.id, ...update });
  await report({
    title: command.name,
    description: command.description,
    capabilities: { cancel: {} },
    state: { state: 'running' },
  });
  await child.send({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: task } });
  try {
    await command.run(turn.as(child, stopped.signal), input);
    await report({ state: { state: 'idle', stopReason: 'end_turn' } });
    return 'is done';
  } catch (error) {
    const isStopped = stopped.signal.aborted;
    const failed = { state: 'idle', stopReason: 'error', error: { code: -32603, message: messageOf(error) } };
    await report({ state: isStopped ? { state: 'idle', stopReason: 'cancelled' } : failed }).catch(() => {});
    return isStopped ? 'was stopped' : 'failed';
  } finally {
    session.subagents.delete(child.id);
  }
}
