import { CommandError } from '../commandError.js';
import { type Command, splitFirst } from './command.js';

/** Markdown of every kind that a client must be able to render, with a text that is worth reading. */
const paragraphs: readonly string[] = [
  `## How an agent and its host talk

The **Agent Client Protocol** joins an editor, the *client*, and an *agent* that works for you. They exchange JSON-RPC 2.0 messages,
one a line, over the standard input and output of the agent's process. Nothing else may appear there: an agent that prints a banner breaks the line.`,

  `A turn begins with a prompt and ends with a stop reason. In between the agent sends updates:

1. pieces of its answer, in the order in which they are to be read,
2. thoughts, which are kept apart from the answer,
3. tool calls:
   - first what is going to be done,
   - then how it goes,
   - at last what came of it,
4. and a plan, which is always sent whole.`,

  `A message looks like this:

\`\`\`json
{
  "jsonrpc": "2.0",
  "method": "session/update",
  "params": {
    "sessionId": "6f1c…",
    "update": { "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "Hello" } }
  }
}
\`\`\``,

  `| Stop reason | What it means | Who decides |
|---|---|---|
| \`end_turn\` | the agent has finished | agent |
| \`max_tokens\` | the answer grew too long | model |
| \`max_turn_requests\` | too many steps in one turn | agent |
| \`refusal\` | the agent will not do this | agent |
| \`cancelled\` | you pressed Stop | you |`,

  `> Order matters more than speed. All updates of a turn come before its end; a client that shows the end first has lost something.

So a client reads its lines in order, handles them in order, and never lets one slow handler hold up the next line.`,

  `Splitting bytes into lines is a small job with one trap: a character may be longer than a byte, and a chunk may end in its middle.

\`\`\`ts
function* lines(chunks: Iterable<Uint8Array>): Generator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for (const chunk of chunks) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
  if (rest !== '') yield rest;
}
\`\`\`

Words with such characters: naïve, Größe, 東京, Ελλάδα, 🙂.`,

  `### What a permission is

Before an agent changes something it may ask. The client shows *what* will be done, not only *that* something will be done:

- a **diff** for a file,
- the **command line** for a program,
- the agent's own options, in the agent's own words.

Closing the question is an answer, too: ~~yes~~ **no**. See [the protocol's pages](https://agentclientprotocol.com) for the rest.`,

  `- [x] read the question
- [x] look at the difference
- [ ] decide

A task list needs no more than that. And a line can be as long as it wants to be, because a client breaks it where its window ends, \`even/when/it/holds/a/very/long/path/without/any/space/in/it.ts\`, which should not make the page wider.`,
];

/** Returns the paragraph at a position, starting over after the last one. Headings are numbered to distinguish the rounds. */
function longText(index: number): string {
  const text = paragraphs[index % paragraphs.length] ?? '';
  const round = Math.floor(index / paragraphs.length) + 1;
  return round === 1 ? text : text.replace(/^(#+ .*)$/m, `$1 (${round})`);
}

const MOST_PARAGRAPHS = 2000;

export const longCommand: Command = {
  name: 'long',
  hint: 'N',
  description: 'Stream N paragraphs of markdown: text, code, lists, tables',
  async run(turn, input) {
    const word = splitFirst(input).first || '8';
    const count = Number(word);
    if (!Number.isInteger(count) || count < 1 || count > MOST_PARAGRAPHS)
      throw new CommandError(`\`${word}\` is not a number from 1 to ${MOST_PARAGRAPHS}.`);
    for (let index = 0; index < count; index++) await turn.stream(longText(index));
  },
};

export const thinkCommand: Command = {
  name: 'think',
  hint: '[TEXT]',
  description: 'Show thoughts before an answer',
  async run(turn, input) {
    const words = input.match(/\S+/g) ?? [];
    await turn.think('I have no model, so I do not reason. ');
    await turn.pause(150);
    await turn.think(words.length === 0 ? 'There is nothing to count here. ' : `I count the words that I was given: ${words.length}. `);
    await turn.pause(150);
    const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '');
    if (longest) await turn.think(`The longest of them is "${longest}".`);
    await turn.say(
      longest
        ? `You gave me ${words.length} words; the longest is **${longest}**.`
        : 'Give me some words to think about: `think some words`',
    );
  },
};
