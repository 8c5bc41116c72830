import { CommandError } from '../commandError.js';
import { type Command, splitFirst } from './command.js';
import { longText } from './longText.js';

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
