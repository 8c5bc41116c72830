// Begins in the mode "ask". Whatever mode is set, it goes to "auto", and reports that before an answer without a value. Says its mode.
import { say, serve, update } from './wire.mjs';

let mode = 'ask';

serve({
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: 'willful', version: '1' }, agentCapabilities: { loadSession: true } }),
  'session/new': () => ({
    sessionId: 's1',
    modes: { currentModeId: mode, availableModes: ['ask', 'plan', 'auto'].map((id) => ({ id, name: id })) },
  }),
  'session/load': () => ({}),
  'session/set_mode': ({ sessionId }) => {
    mode = 'auto';
    update(sessionId, { sessionUpdate: 'current_mode_update', currentModeId: mode });
    return {};
  },
  'session/prompt': ({ sessionId }) => {
    say(sessionId, mode);
    return { stopReason: 'end_turn' };
  },
});
