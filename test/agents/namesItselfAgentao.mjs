// Reports itself as agentao 0.5.17, lists its models in a separate call, and asks before a plain write without showing a diff.
import { request, say, serve, update } from './wire.mjs';

const options = (value) => [
  { id: 'model', name: 'Model', category: 'model', type: 'select', currentValue: value, options: [{ value, name: value.split('/')[1] }] },
];

serve({
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: 'agentao', version: '0.5.17' }, agentCapabilities: { loadSession: true } }),
  'session/new': () => ({
    sessionId: 's1',
    configOptions: options('openai/one'),
    modes: { currentModeId: 'workspace-write', availableModes: [] },
  }),
  'session/load': () => ({ configOptions: options('openai/one') }),
  'session/list_models': () =>
    process.argv[2] === 'noModels' ? { models: [], warning: 'the provider does not tell' } : { models: ['one', 'two', 5] },
  'session/set_config_option': ({ value }) => ({ configOptions: options(value) }),
  'session/prompt': async ({ sessionId }) => {
    const call = {
      toolCallId: 'w',
      title: 'write_file',
      kind: 'edit',
      status: 'pending',
      rawInput: { file_path: 'a.txt', content: 'new\n' },
    };
    update(sessionId, { sessionUpdate: 'tool_call', ...call });
    const { outcome } = await request('session/request_permission', {
      sessionId,
      toolCall: { ...call, content: [{ type: 'content', content: { type: 'text', text: 'Write content to a file.' } }] },
      options: [{ optionId: 'allow_once', name: 'Allow once', kind: 'allow_once' }],
    });
    update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId: 'w', title: 'write_file', content: [] });
    update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId: 'w', status: 'completed' });
    say(sessionId, outcome.outcome);
    return { stopReason: 'end_turn' };
  },
});
