import { RequestError, type StopReason } from '@agentclientprotocol/sdk/unstable';
import { CommandError } from '../commandError.js';
import { type Command, splitFirst } from './command.js';
import type { Turn } from '../turn.js';

/** One failure for each that a client must handle. */
const failures: Readonly<Record<string, (turn: Turn) => Promise<StopReason | void> | never>> = {
  error: () => {
    throw new RequestError(-32603, 'The demo agent failed because you asked it to.', { kind: 'demo' });
  },
  auth: () => {
    throw RequestError.authRequired(undefined, 'The demo agent pretends that you are not signed in');
  },
  refusal: () => Promise.resolve('refusal'),
  limit: () => Promise.resolve('max_tokens'),
  requests: () => Promise.resolve('max_turn_requests'),
  silent: () => Promise.resolve('end_turn'),
  crash: async (turn) => {
    await turn.say('Now I crash.');
    await turn.session.flush();
    console.error('demo agent: crashing because the user asked for it');
    // Earlier output must reach the client first: a pipe that is still full would be cut off.
    process.stdout.write('', () => process.exit(70));
    await turn.pause(60_000);
  },
  hang: async (turn) => {
    for (;;) await turn.pause(60_000);
  },
};

export const failCommand: Command = {
  name: 'fail',
  hint: `[${Object.keys(failures).join(' | ')}]`,
  description: 'Fail in one of the ways in which an agent can fail',
  async run(turn, input) {
    const kind = splitFirst(input).first.toLowerCase() || 'error';
    const fail = failures[kind];
    if (!fail)
      throw new CommandError(
        `I cannot fail in that way. I know: ${Object.keys(failures)
          .map((name) => `\`${name}\``)
          .join(', ')}`,
      );
    return fail(turn);
  },
};
