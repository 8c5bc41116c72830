// Uses forms that the protocol has removed: `models` with `session/set_model`, and `modeId` in its mode updates.
import { say, serve, update } from './wire.mjs';

let model = 'vendor/a';

serve({
  'session/new': () => ({
    sessionId: 's1',
    modes: {
      currentModeId: 'ask',
      availableModes: [
        { id: 'ask', name: 'Ask' },
        { id: 'code', name: 'Code' },
      ],
    },
    models: {
      currentModelId: model,
      availableModels: [
        { modelId: 'vendor/a', name: 'A' },
        { modelId: 'vendor/$(b)', name: 'B', description: 'bigger' },
      ],
    },
  }),
  'session/set_model': ({ modelId }) => {
    model = modelId;
    return {};
  },
  'session/set_mode': ({ sessionId, modeId }) => {
    update(sessionId, { sessionUpdate: 'current_mode_update', modeId });
    return {};
  },
  'session/prompt': ({ sessionId }) => {
    say(sessionId, model);
    return { stopReason: 'end_turn' };
  },
});
