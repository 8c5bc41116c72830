// Sends a message that is nested so deeply that a recursive function overflows the stack, and then "hi". The prompt decides whether it is the
// input of a tool call, a request or an unknown notification.
import { say, serve } from './wire.mjs';

const depth = 50_000;
const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
const write = (method, params) => process.stdout.write(`{"jsonrpc":"2.0","method":"${method}","params":${params}}\n`);

serve({
  'session/prompt': ({ sessionId, prompt: [{ text }] }) => {
    if (text === 'tool')
      write(
        'session/update',
        `{"sessionId":"${sessionId}","update":{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Deep","rawInput":${deep}}}`,
      );
    else if (text === 'request') process.stdout.write(`{"jsonrpc":"2.0","id":"deep","method":"unknown","params":{"deep":${deep}}}\n`);
    else write('unknown', `{"deep":${deep}}`);
    say(sessionId, 'hi');
    return { stopReason: 'end_turn' };
  },
});
