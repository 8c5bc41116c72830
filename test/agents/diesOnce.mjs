// Crashes in the middle of its answer to a prompt whose first line is "once" the first time in its folder, and to "always" each time. Answers
// "pid" with its process ID, "heard" with the whole prompt as JSON, and any other prompt with its text. A load replays the texts of earlier
// prompts. With DIES_ONCE_CANNOT_LOAD, it cannot load sessions.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { say, serve, update } from './wire.mjs';

const said = 'said.txt';

/** Sends the whole prompt back unchanged. */
function repeat(sessionId, prompt) {
  say(sessionId, JSON.stringify(prompt));
  return { stopReason: 'end_turn' };
}

function die(sessionId) {
  say(sessionId, 'half an ans');
  return new Promise(() => process.stdout.write('', () => process.kill(process.pid, 'SIGKILL')));
}

serve({
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: 'dies once', version: '1.0.0' },
    agentCapabilities: { loadSession: process.env.DIES_ONCE_CANNOT_LOAD === undefined },
  }),
  'session/load': ({ sessionId }) => {
    if (!existsSync(said)) return {};
    const text = readFileSync(said, 'utf8');
    update(sessionId, { sessionUpdate: 'user_message_chunk', content: { type: 'text', text } });
    say(sessionId, text);
    return {};
  },
  'session/prompt': async ({ sessionId, prompt }) => {
    const text = prompt.map((block) => block.text).at(-1);
    if (text === 'heard') return repeat(sessionId, prompt);
    if (text === 'always') return die(sessionId);
    if (text.split('\n')[0] === 'once' && !existsSync('died')) {
      writeFileSync('died', '');
      return die(sessionId);
    }
    appendFileSync(said, text);
    say(sessionId, text === 'pid' ? `pid ${process.pid}` : `You said: ${text}`);
    return { stopReason: 'end_turn' };
  },
});
