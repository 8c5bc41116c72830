// Ends a turn with the failure in the prompt, which is JSON, as claude-agent-acp 0.101 does for a client of JetBrains. An array: it reports
// these failures about the session first. A load is replayed after its answer, up to a mark that says so, and is followed by live text.
import { say, serve, update } from './wire.mjs';

const air = (payload) => ({ jetbrains: { air: { version: 1, ...payload } } });

serve({
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: 'failing', version: '1.0.0' }, agentCapabilities: { loadSession: true } }),
  'session/load': ({ sessionId }) => {
    setTimeout(() => {
      say(sessionId, 'earlier');
      update(sessionId, { sessionUpdate: 'session_info_update', _meta: air({ loadReplayEnd: true }) });
      say(sessionId, 'now');
    }, 1);
    return {};
  },
  'session/prompt': ({ sessionId, prompt }) => {
    const failures = JSON.parse(prompt.at(-1).text);
    if (!Array.isArray(failures)) return { stopReason: 'end_turn', _meta: air({ sessionFailure: failures }) };
    for (const sessionFailure of failures) update(sessionId, { sessionUpdate: 'session_info_update', _meta: air({ sessionFailure }) });
    return { stopReason: 'end_turn' };
  },
});
