// Has an option for its model, and reports the current one.
import { say, serve } from './wire.mjs';

let model = 'small';
const configOptions = () => [
  {
    id: 'm',
    name: 'Model',
    category: 'model',
    type: 'select',
    currentValue: model,
    options: [
      {
        group: 'g',
        name: 'All',
        options: [
          { value: 'small', name: 'Small' },
          { value: 'large $(1)', name: 'Large' },
        ],
      },
    ],
  },
];

serve({
  'session/new': () => ({ sessionId: 's1', configOptions: configOptions() }),
  'session/set_config_option': ({ value }) => {
    model = value;
    return { configOptions: configOptions() };
  },
  'session/prompt': ({ sessionId }) => {
    say(sessionId, model);
    return { stopReason: 'end_turn' };
  },
});
