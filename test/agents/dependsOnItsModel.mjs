// Offers the mode "auto" and the effort "max" only with the model "large", and goes back to its first mode with each new model. Says what is set.
import { say, serve } from './wire.mjs';

const set = { mode: 'ask', model: 'small', effort: 'low' };
const select = (id, category, ...values) => ({
  id,
  name: id,
  category,
  type: 'select',
  currentValue: set[id],
  options: values.map((value) => ({ value, name: value })),
});
const configOptions = () => {
  const more = set.model === 'large' ? ['auto', 'max'] : [];
  return [
    select('mode', 'mode', 'ask', 'plan', ...more.slice(0, 1)),
    select('model', 'model', 'small', 'large'),
    select('effort', 'thought_level', 'low', ...more.slice(1)),
  ];
};

serve({
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: 'dependent', version: '1' }, agentCapabilities: { loadSession: true } }),
  'session/new': () => ({ sessionId: 's1', configOptions: configOptions() }),
  'session/load': () => ({ configOptions: configOptions() }),
  'session/set_config_option': ({ configId, value }) => {
    set[configId] = value;
    if (configId === 'model') Object.assign(set, { mode: 'ask', effort: 'low' });
    return { configOptions: configOptions() };
  },
  'session/prompt': ({ sessionId }) => {
    say(sessionId, Object.values(set).join(' '));
    return { stopReason: 'end_turn' };
  },
});
