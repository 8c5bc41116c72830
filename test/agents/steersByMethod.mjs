// A turn that ends when a prompt has reached it by `_session/steering`. `ends`: the agent answers that no turn is running.
// `loses`: it answers with an error. `ignored`: it never answers, and ends its turn. Hand-written, because ACP and its SDK don't have the method.
import { say, serve } from './wire.mjs';

let end;

serve({
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: 'steered', version: '1.0.0' }, _meta: { steering: { supported: true } } }),
  'session/cancel': () => end?.({ stopReason: 'cancelled' }),
  'session/prompt': ({ sessionId, prompt }) => {
    say(sessionId, `begins ${prompt.at(-1).text}`);
    return new Promise((resolve) => (end = resolve));
  },
  '_session/steering': ({ sessionId, prompt, _meta }) => {
    const words = prompt.at(-1).text;
    if (words === 'loses') throw { code: -32603, message: 'Lost it' };
    if (words === 'ends') return { outcome: _meta?.steering?.idleBehavior === 'promptRequired' ? 'promptRequired' : 'startedNewTurn' };
    if (words === 'ignored') {
      setImmediate(() => end({ stopReason: 'end_turn' }));
      return new Promise(() => {});
    }
    setTimeout(() => {
      say(sessionId, `heard ${words}`);
      end({ stopReason: 'end_turn' });
    }, 1);
    return { outcome: 'injected' };
  },
});
