// Offers a mode, a model and a switch, and refuses every change of them; with SILENTLY, without an error.
import { say, serve } from './wire.mjs';

const configOptions = [
  {
    id: 'model',
    name: 'Model',
    category: 'model',
    type: 'select',
    currentValue: 'a',
    options: [
      { value: 'a', name: 'A' },
      { value: 'b', name: 'B' },
    ],
  },
  { id: 'fast', name: 'Fast mode', type: 'boolean', currentValue: false },
];

const refuse = () => {
  if (process.env.SILENTLY) return { configOptions };
  throw { code: -32602, message: 'Cannot change this now' };
};

serve({
  'session/new': () => ({
    sessionId: 's1',
    modes: {
      currentModeId: 'ask',
      availableModes: [
        { id: 'ask', name: 'Ask' },
        { id: 'plan', name: 'Plan' },
      ],
    },
    configOptions,
  }),
  'session/set_mode': refuse,
  'session/set_config_option': refuse,
  'session/prompt': ({ sessionId }) => {
    say(sessionId, 'Done.');
    return { stopReason: 'end_turn' };
  },
});
