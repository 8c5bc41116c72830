// Offers modes and models with a new session, and answers session/load with the JSON text of its first argument; says which options were set.
import { readFileSync, writeFileSync } from 'node:fs';
import { say, serve } from './wire.mjs';

const [, , loaded = '{}'] = process.argv;
const state = `${process.env.HOME}/forgets-its-options.json`;
let set = [];

serve({
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: 'forgetful', version: '1' }, agentCapabilities: { loadSession: true } }),
  'session/new': () => {
    writeFileSync(state, '[]');
    return {
      sessionId: 's1',
      modes: {
        currentModeId: 'default',
        availableModes: [
          { id: 'default', name: 'Default' },
          { id: 'plan', name: 'Plan' },
        ],
      },
      models: {
        currentModelId: 'm1',
        availableModels: [
          { modelId: 'm1', name: 'M1' },
          { modelId: 'm2', name: 'M2' },
        ],
      },
    };
  },
  'session/load': ({ sessionId }) => {
    for (const text of JSON.parse(readFileSync(state, 'utf8'))) say(sessionId, text);
    return JSON.parse(loaded);
  },
  'session/set_mode': ({ modeId }) => (set.push(modeId), {}),
  'session/set_model': ({ modelId }) => (set.push(modelId), {}),
  'session/prompt': ({ sessionId }) => {
    say(sessionId, `Set: ${set.join(', ')}.`);
    set = [];
    return { stopReason: 'end_turn' };
  },
});
