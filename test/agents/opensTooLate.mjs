/**
 * Answers a fork, or the second session, only during the next prompt, in the middle of its turn. Before and after that, it tells what was said there.
 * A fork at a message named "same" gets the id of the session that it is made from.
 */
import { say, serve } from './wire.mjs';

let sessions = 0;
let answer;
const late = (sessionId) => new Promise((resolve) => (answer = () => resolve({ sessionId })));

serve({
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: 'claude-agent-acp', version: '0.101.0' },
    agentCapabilities: { sessionCapabilities: { fork: {}, close: {} } },
  }),
  'session/new': () => (++sessions === 1 ? { sessionId: 's1' } : late('late')),
  'session/fork': ({ sessionId, _meta }) => (_meta?.jetbrains.air.fork.messageId === 'same' ? { sessionId } : late('late')),
  'session/close': () => ({}),
  'session/prompt': async ({ sessionId }) => {
    if (answer !== undefined) {
      say('late', 'not yours ');
      answer();
      await new Promise((resolve) => setTimeout(resolve));
      say('late', 'nor this ');
    }
    say(sessionId, 'yours');
    return { stopReason: 'end_turn' };
  },
});
