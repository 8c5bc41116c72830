import { RequestError } from '@agentclientprotocol/sdk/unstable';
import * as z from 'zod/mini';
import { CommandError } from '../commandError.js';
import { type Command, splitFirst } from './command.js';
import { runTool, textContent } from '../toolCall.js';
import type { Turn } from '../turn.js';

/** A request that is not part of ACP: agentao's, 0.5.17. */
const ASK_USER = '_agentao.cn/ask_user';

const askUserResult = z.union([
  z.object({ outcome: z.literal('answered'), text: z.string() }),
  z.object({ outcome: z.literal('cancelled') }),
]);

interface Question {
  readonly header: string;
  readonly question: string;
  readonly options?: readonly string[];
  readonly multiple?: true;
  readonly allowCustom?: false;
}

const questions: Readonly<Record<string, Question>> = {
  '': { header: 'Your words', question: 'What should I repeat?' },
  one: { header: 'One of four', question: 'Which season do you like best?', options: ['Spring', 'Summer', 'Autumn', 'Winter'] },
  many: {
    header: 'Any of these',
    question: 'Which of these do you drink?',
    options: ['Water', 'Tea', 'Coffee'],
    multiple: true,
    allowCustom: false,
  },
};

export const askCommand: Command = {
  name: 'ask',
  hint: '[one | many]',
  description: 'Ask you a question: free text, one of several options, or any of them',
  async run(turn, input) {
    const variant = splitFirst(input).first.toLowerCase();
    const question = questions[variant];
    if (!question) throw new CommandError('I can ask in three ways. Write: `ask`, `ask one` or `ask many`');
    const answer = await runTool(turn, {
      title: question.question,
      kind: 'other',
      rawInput: question,
      async run() {
        const text = await askUser(turn, question);
        return { value: text, content: [textContent(text === undefined ? 'Closed without an answer' : text)] };
      },
    });
    await turn.say(answer === undefined ? 'You closed the question without an answer.' : `You answered: **${answer}**`);
  },
};

/** Returns undefined if the user closed the question. */
async function askUser(turn: Turn, question: Question): Promise<string | undefined> {
  try {
    const result = await turn.session.client.request(
      ASK_USER,
      { sessionId: turn.session.id, ...question },
      { cancellationSignal: turn.signal, stopWaitingOnCancel: true },
    );
    const parsed = askUserResult.safeParse(result);
    if (!parsed.success) throw new CommandError('Your client gave an answer that I do not understand.');
    return parsed.data.outcome === 'answered' ? parsed.data.text : undefined;
  } catch (error) {
    if (error instanceof RequestError && error.code === -32601) {
      throw new CommandError(`Your client does not offer questions (it does not know \`${ASK_USER}\`).`);
    }
    throw error;
  }
}
