// Has a mode that is also an option. Leaves plan mode by itself, and reports that only with `current_mode_update`. Each process begins in plan mode.
import { say, serve, update } from './wire.mjs';

let mode = 'plan';
const configOptions = () => [
  {
    type: 'select',
    id: 'permissions',
    name: 'Permissions',
    category: 'mode',
    currentValue: mode,
    options: ['plan', 'code'].map((value) => ({ value, name: value })),
  },
];
const modes = () => ({ currentModeId: mode, availableModes: ['plan', 'code'].map((id) => ({ id, name: id })) });
const offered = () => ({ modes: modes(), configOptions: configOptions() });

serve({
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { loadSession: true } }),
  'session/new': () => ({ sessionId: 's1', ...offered() }),
  'session/load': () => offered(),
  'session/set_config_option': ({ value }) => {
    mode = value;
    return { configOptions: configOptions() };
  },
  'session/prompt': ({ sessionId, prompt }) => {
    if (prompt[0].text === 'die') process.exit(9);
    if (prompt[0].text === 'plan it') {
      mode = 'code';
      update(sessionId, { sessionUpdate: 'current_mode_update', currentModeId: mode });
    }
    say(sessionId, mode);
    return { stopReason: 'end_turn' };
  },
});
