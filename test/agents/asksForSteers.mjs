// Asks for prompts for its running turn, as Qwen Code does after each of its tool calls: here, when its mode is set to `ask`. The turn ends
// when the mode is set to `end`, and the agent when it is set to `die`. Hand-written, because ACP and its SDK don't have the method.
import { request, say, serve } from './wire.mjs';

const modes = ['work', 'ask', 'end', 'die'].map((id) => ({ id, name: id }));
let end;

serve({
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: 'qwen-code', version: '0.24.4' } }),
  'session/new': () => ({ sessionId: 's1', modes: { currentModeId: 'work', availableModes: modes } }),
  'session/cancel': () => end?.({ stopReason: 'cancelled' }),
  'session/prompt': ({ sessionId, prompt }) => {
    say(sessionId, `begins ${prompt.at(-1).text}`);
    return new Promise((resolve) => (end = resolve));
  },
  'session/set_mode': async ({ sessionId, modeId }) => {
    if (modeId === 'die') process.exit(1);
    if (modeId === 'end') end({ stopReason: 'end_turn' });
    if (modeId === 'ask') say(sessionId, `got ${JSON.stringify(await request('craft/drainMidTurnQueue', { sessionId, promptId: 'p' }))}`);
    return {};
  },
});
