/** Commands about the session itself. */
import type { SessionUpdate } from '@agentclientprotocol/sdk/unstable';
import { CommandError } from '../commandError.js';
import { type Command, needed, plural, splitFirst } from './command.js';
import { compactHistory, sendUsage } from '../context.js';
import { historyLimitWords } from '../session.js';
import { modes, withMode } from '../settings.js';

export const usageCommand: Command = {
  name: 'usage',
  description: 'Report how full the session is, and what it cost',
  async run(turn) {
    await sendUsage(turn.session);
    await turn.say(
      `Without a model, there are no tokens, so I report the number of words in this session instead: ${turn.session.words.toLocaleString('en')} of ${plural(historyLimitWords, 'word')}. It cost nothing.`,
    );
  },
};

export const titleCommand: Command = {
  name: 'title',
  hint: 'TEXT',
  description: 'Set the title of the session',
  async run(turn, input) {
    const title = needed(input.trim(), 'title TEXT').slice(0, 200);
    await turn.session.send({ sessionUpdate: 'session_info_update', title, updatedAt: new Date().toISOString() });
    await turn.say(`This session is now called "${title}".`);
  },
};

export const modeCommand: Command = {
  name: 'mode',
  hint: `[${modes.map(({ id }) => id).join(' | ')}]`,
  description: 'Show the mode, or change it',
  async run(turn, input) {
    const { session } = turn;
    const wanted = splitFirst(input).first.toLowerCase();
    if (wanted !== '') {
      if (!modes.some(({ id }) => id === wanted))
        throw new CommandError(`There is no mode \`${wanted}\`. I know: ${modes.map(({ id }) => `\`${id}\``).join(', ')}`);
      await session.changeSettings(withMode(session.settings, wanted));
      await session.announceSettings();
    }
    const lines = modes.map(
      ({ id, description }) => `- ${id === session.settings.modeId ? `**\`${id}\`** (now)` : `\`${id}\``}: ${description}`,
    );
    await turn.say(lines.join('\n'));
  },
};

export const noticeCommand: Command = {
  name: 'notice',
  hint: '[info | warning | error] [TEXT]',
  description: 'Send a notice beside the conversation',
  async run(turn, input) {
    const { first, rest } = splitFirst(input);
    const named = ['info', 'warning', 'error'].includes(first);
    const severity = named ? first : 'info';
    const title = (named ? rest : input).trim() || 'A notice from the demo agent';
    if (!turn.session.capabilities.session?.notices)
      throw new CommandError('Your client did not declare that it shows notices, so I send none.');
    const notice: SessionUpdate = {
      sessionUpdate: 'notice',
      severity,
      title,
      description: 'Sent because you asked for it; nothing happened.',
    };
    await turn.session.send(notice);
    await turn.say('I sent you a notice.');
  },
};

export const compactCommand: Command = {
  name: 'compact',
  description: 'Summarize the earlier part of this session to save space',
  async run(turn) {
    const before = turn.session.words;
    await turn.session.flush();
    await compactHistory(turn.session, turn.signal);
    await turn.say(`The session had ${plural(before, 'word')} and now has ${turn.session.words.toLocaleString('en')}.`);
  },
};
