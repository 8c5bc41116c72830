// Answers with null where it has nothing to say, and asks without params.
import { request, send, serve } from './wire.mjs';

serve({
  initialize: () => ({ protocolVersion: 1, agentCapabilities: null, authMethods: null, agentInfo: null }),
  'session/new': () => ({ sessionId: 's1', modes: null, configOptions: null }),
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
