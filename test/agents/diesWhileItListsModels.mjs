// Reports itself as agentao 0.5.17, and lists its models in a separate call. DIES_ONCE: a file, absolute; without it, the agent creates it and
// exits instead of listing them.
import { existsSync, writeFileSync } from 'node:fs';
import { say, serve, update } from './wire.mjs';

const { DIES_ONCE } = process.env;
let model = 'openai/one';
const configOptions = () => [
  { id: 'model', name: 'Model', category: 'model', type: 'select', currentValue: model, options: [{ value: model, name: model }] },
];

serve({
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: 'agentao', version: '0.5.17' }, agentCapabilities: { loadSession: true } }),
  'session/new': () => ({ sessionId: 's1', configOptions: configOptions() }),
  'session/load': ({ sessionId }) => {
    update(sessionId, { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'hi' } });
    return { configOptions: configOptions() };
  },
  'session/list_models': () => {
    if (DIES_ONCE !== undefined && !existsSync(DIES_ONCE)) {
      writeFileSync(DIES_ONCE, '');
      process.exit(7);
    }
    return { models: ['one', 'two'] };
  },
  'session/set_config_option': ({ value }) => {
    model = value;
    return { configOptions: configOptions() };
  },
  'session/prompt': ({ sessionId }) => {
    say(sessionId, model);
    return { stopReason: 'end_turn' };
  },
});
