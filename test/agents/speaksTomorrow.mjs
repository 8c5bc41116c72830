// Uses values and members that no version of the protocol defines yet, wherever possible.
import { request, say, send, serve, update } from './wire.mjs';

const chunk = (sessionId, content) => update(sessionId, { sessionUpdate: 'agent_message_chunk', content });

serve({
  'session/new': () => ({
    sessionId: 's1',
    modes: {
      currentModeId: 'https://agent.example/mode#1',
      availableModes: [{ id: 'https://agent.example/mode#1', name: 'One', colour: 'red' }, { id: 7 }],
    },
    configOptions: [
      { id: 'slider', name: 'Slider', type: 'range', currentValue: 3 },
      {
        id: 'model',
        name: 'Model',
        category: 'model',
        type: 'select',
        currentValue: 'a',
        options: [{ value: 'a', name: 'A' }, { value: 5 }],
      },
      null,
    ],
    weather: 'fine',
  }),
  'session/prompt': async ({ sessionId }) => {
    update(sessionId, { sessionUpdate: 'hologram', of: 'something' });
    update(sessionId, {});
    update(sessionId, {
      sessionUpdate: 'plan',
      entries: [{ content: 'step', priority: 'utmost', status: 'dreaming' }, { content: 5 }, 'x'],
    });
    update(sessionId, {
      sessionUpdate: 'tool_call',
      toolCallId: 'c1',
      title: 'Deploy',
      kind: 'deploy',
      status: 'queued',
      content: [{ type: 'hologram' }, { type: 'text', text: 'bare' }],
    });
    update(sessionId, {
      sessionUpdate: 'tool_call_update',
      toolCallId: 'c1',
      status: 'levitating',
      content: null,
      locations: [{ path: 5 }, { path: '/a', line: 3 }],
    });
    update(sessionId, { sessionUpdate: 'tool_call_update', status: 'completed' });
    update(sessionId, { sessionUpdate: 'notice', severity: 'catastrophe', title: 'Look' });
    update(sessionId, { sessionUpdate: 'usage_update', used: 1.5, size: 10, cost: 'much' });
    update(sessionId, { sessionUpdate: 'session_info_update', title: 17 });
    update(sessionId, { sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'go' }, { description: 'nameless' }] });
    chunk(sessionId, { type: 'hologram', data: 'AAAA' });
    chunk(sessionId, null);
    send({ method: 'session/update', params: null });
    send({ method: '_agent.example/pulse', params: { beat: 1 } });
    send({ method: 'session/hologram', params: {} });
    const refused = await request('_agent.example/teleport', { sessionId }).catch((error) => error.code);
    const { outcome } = await request('session/request_permission', {
      sessionId,
      toolCall: { toolCallId: 'c1', kind: 'deploy', status: 'queued' },
      options: [
        { optionId: 'a', name: 'Allow for a day', kind: 'allow_day' },
        { optionId: 'b', kind: 'reject_once' },
        { name: 'no id', kind: 'allow_once' },
      ],
    });
    say(sessionId, `${refused} ${outcome.optionId ?? outcome.outcome}`);
    return { stopReason: 'bored', mood: 'good' };
  },
});
