import { type DemoSession, historyLimitWords } from './session.js';

/** Sends the usage, with words in place of tokens. The `usage` command explains this to the user. */
export function sendUsage(session: DemoSession): Promise<void> {
  return session.send({
    sessionUpdate: 'usage_update',
    used: session.words,
    size: historyLimitWords,
    cost: { amount: 0, currency: 'USD' },
  });
}
