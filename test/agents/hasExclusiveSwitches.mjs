// Has two switches; turning one on turns the other off.
import { serve } from './wire.mjs';

const on = { fast: false, careful: false };
const configOptions = () => Object.keys(on).map((id) => ({ id, name: id, type: 'boolean', currentValue: on[id] }));

serve({
  'session/new': () => ({ sessionId: 's1', configOptions: configOptions() }),
  'session/set_config_option': ({ configId, value }) => {
    for (const id of Object.keys(on)) on[id] = id === configId ? value : on[id] && !value;
    return { configOptions: configOptions() };
  },
  'session/prompt': () => ({ stopReason: 'end_turn' }),
});
