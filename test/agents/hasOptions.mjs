// Has several options, two of them with the category `model`, and a mode whose values are URLs. Reports their values, and the usage of a turn.
import { say, serve } from './wire.mjs';

const set = { mode: 'https://example.com/modes#ask', provider: 'acme', model: 'a,b', fast: false };
const select = (id, name, category, values) => ({
  id,
  name,
  category,
  type: 'select',
  currentValue: set[id],
  options: values.map((value) => ({ value, name: value.toUpperCase() })),
});
const configOptions = () => [
  select('mode', 'Mode', 'mode', ['https://example.com/modes#ask', 'https://example.com/modes#plan']),
  select('provider', 'Provider', 'model', ['acme', 'other']),
  select('model', 'Model', 'model', ['a,b', 'large']),
  { id: 'fast', name: 'Fast mode', type: 'boolean', currentValue: set.fast },
];

serve({
  'session/new': () => ({ sessionId: 's1', configOptions: configOptions() }),
  'session/set_config_option': ({ configId, value }) => {
    set[configId] = value;
    return { configOptions: configOptions() };
  },
  'session/prompt': ({ sessionId }) => {
    say(sessionId, JSON.stringify(set));
    return { stopReason: 'end_turn', usage: { totalTokens: 1234, inputTokens: 1000, outputTokens: 234, cachedReadTokens: 'many' } };
  },
});
