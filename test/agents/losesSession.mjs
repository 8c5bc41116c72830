// Loses its open session while it keeps running. LOSES: `between`, and it refuses the next prompt until the session is loaded again;
// `midway`, during a turn; `forever`, even after a load; `unloadable`, and the load fails, too.
import { appendFileSync } from 'node:fs';
import { say, serve, update } from './wire.mjs';

const how = process.env.LOSES;
// ANSWER: the error for a lost session, as JSON text; with LATER, the one of every prompt after the first refused one.
const { ANSWER = '{"code":-32002,"message":"Resource not found"}', LATER = ANSWER } = process.env;
let refused = 0;
let isLost = how !== 'midway';

serve({
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: 'loses', version: '1.0.0' }, agentCapabilities: { loadSession: true } }),
  'session/load': ({ sessionId }) => {
    if (how === 'unloadable') throw { code: -32002, message: 'Resource not found' };
    update(sessionId, { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'first' } });
    say(sessionId, 'answer to first');
    isLost = how === 'forever';
    return {};
  },
  'session/prompt': ({ sessionId, prompt }) => {
    const { text } = prompt.at(-1);
    if (text !== 'first' && isLost) throw JSON.parse(refused++ === 0 ? ANSWER : LATER);
    appendFileSync('taken', `${text}\n`);
    say(sessionId, `answer to ${text}`);
    if (text === 'second' && how === 'midway') throw { code: -32603, message: 'Internal error: did not end in result' };
    return { stopReason: 'end_turn' };
  },
});
