import { type DemoSession, historyLimitWords } from './session.js';

/** Words stand for tokens, which the `usage` command tells the user. */
export function sendUsage(session: DemoSession): Promise<void> {
  return session.send({
    sessionUpdate: 'usage_update',
    used: session.words,
    size: historyLimitWords,
    cost: { amount: 0, currency: 'USD' },
  });
}
