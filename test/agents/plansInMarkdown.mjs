// Plans with ids, steps and Markdown, as in ACP since 2026-11-20, to a host that declares them. Written by hand: the SDK does not know them.
import { say, serve, update } from './wire.mjs';

let declares = false;
const plan = (sessionId, body) => update(sessionId, { sessionUpdate: 'plan_update', plan: body });
const step = (content, status) => ({ content, priority: 'medium', status });

serve({
  initialize: ({ clientCapabilities }) => {
    declares = clientCapabilities?.plan != null;
    return { protocolVersion: 1, agentInfo: { name: 'planner', version: '1' }, agentCapabilities: {} };
  },
  'session/prompt': ({ sessionId, prompt }) => {
    if (prompt.at(-1).text === 'only') plan(sessionId, { type: 'markdown', planId: 'design', content: '# Design' });
    else if (!declares) say(sessionId, 'You read no plans.');
    else {
      plan(sessionId, { type: 'items', planId: 'todo', entries: [step('Read the parser', 'completed'), step('Change it', 'pending')] });
      plan(sessionId, { type: 'markdown', planId: 'design', content: '# Design\n\nOne **parser**.' });
      plan(sessionId, { type: 'markdown', planId: 'old', content: 'Two parsers.' });
      update(sessionId, { sessionUpdate: 'plan_removed', planId: 'old' });
      plan(sessionId, { type: 'poem', planId: 'p' });
      say(sessionId, 'Here is my plan.');
    }
    return { stopReason: 'end_turn' };
  },
});
