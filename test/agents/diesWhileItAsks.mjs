// Crashes as soon as it has sent a permission request. It can load the session afterwards, and repeats no request.
import { serve } from './wire.mjs';

const options = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];

serve({
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: 'dies while it asks', version: '1.0.0' },
    agentCapabilities: { loadSession: true },
  }),
  'session/new': () => ({ sessionId: 's' }),
  'session/load': () => ({}),
  'session/prompt': ({ sessionId }) =>
    new Promise(() => {
      const request = {
        jsonrpc: '2.0',
        id: 'ask',
        method: 'session/request_permission',
        params: { sessionId, toolCall: { toolCallId: 'c', title: 'Do it', kind: 'execute' }, options },
      };
      process.stdout.write(`${JSON.stringify(request)}\n`, () => process.kill(process.pid, 'SIGKILL'));
    }),
});
