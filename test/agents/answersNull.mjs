// Answers with null where a result is optional, and sends a request without params. With the argument `offers`, it has modes and an option.
import { request, send, serve } from './wire.mjs';

const offers = process.argv[2] === 'offers';
const modes = {
  currentModeId: 'l',
  availableModes: [
    { id: 'l', name: 'L' },
    { id: 'm', name: 'M' },
  ],
};
const configOptions = [{ type: 'boolean', id: 'c', name: 'C', currentValue: false }];

serve({
  initialize: () => ({ protocolVersion: 1, agentCapabilities: null, authMethods: null, agentInfo: null }),
  'session/new': () => (offers ? { sessionId: 's1', modes, configOptions } : { sessionId: 's1', modes: null, configOptions: null }),
  'session/load': () => null,
  'session/set_mode': () => null,
  'session/set_config_option': () => null,
  'session/prompt': async () => {
    send({ method: 'session/update' });
    send({ id: 'bare', method: 'session/request_permission' });
    await request('session/request_permission', null).catch(() => {});
    return null;
  },
});
