// Sends updates with everything that programs may need: ids, raw input and output, `_meta`, and unknown kinds. Saves what it sends.
import { appendFileSync } from 'node:fs';
import { serve, update } from './wire.mjs';

const text = { type: 'text', text: 'Hi', _meta: { block: 1 } };
const updates = [
  { sessionUpdate: 'agent_message_chunk', messageId: 'm1', content: text, _meta: { chunk: 1 } },
  { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'Hm' }, _meta: { thought: true } },
  {
    sessionUpdate: 'tool_call',
    toolCallId: 'c1',
    title: 'Edit',
    kind: 'edit',
    status: 'pending',
    rawInput: { path: 'a', nothing: null, deep: [1, { b: 2 }] },
    locations: [{ path: '/a', line: 3, _meta: { location: 1 } }],
    content: [{ type: 'content', content: text }],
    _meta: { tool: 'T' },
  },
  { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'in_progress' },
  {
    sessionUpdate: 'tool_call_update',
    toolCallId: 'c1',
    status: 'completed',
    rawOutput: { code: 0 },
    content: [{ type: 'diff', path: '/a', oldText: null, newText: 'n', _meta: { diff: 1 } }],
    _meta: { end: 1 },
  },
  { sessionUpdate: 'plan', entries: [{ content: 'A', priority: 'high', status: 'pending', _meta: { entry: 1 } }], _meta: { plan: 1 } },
  {
    sessionUpdate: 'available_commands_update',
    availableCommands: [{ name: 'c', description: 'd', input: { hint: 'h' }, _meta: { command: 1 } }],
  },
  { sessionUpdate: 'session_info_update', title: 'T', updatedAt: '2026-01-01T00:00:00Z', _meta: { info: 1 } },
  { sessionUpdate: 'usage_update', used: 1, size: 10, cost: { amount: 0.1, currency: 'USD' }, _meta: { usage: 1 } },
  { sessionUpdate: 'current_mode_update', currentModeId: 'b', _meta: { mode: 1 } },
  {
    sessionUpdate: 'config_option_update',
    configOptions: [{ id: 'flag', name: 'Flag', type: 'boolean', currentValue: false }],
    _meta: { options: 1 },
  },
  { sessionUpdate: 'of_this_agent', payload: { a: [1] }, _meta: { own: 1 } },
];

serve({
  'session/new': () => ({
    sessionId: 's1',
    modes: {
      currentModeId: 'a',
      availableModes: [
        { id: 'a', name: 'A' },
        { id: 'b', name: 'B' },
      ],
    },
    configOptions: [{ id: 'flag', name: 'Flag', type: 'boolean', currentValue: true }],
  }),
  'session/prompt': ({ sessionId }) => {
    for (const one of updates) {
      appendFileSync('sent.ndjson', `${JSON.stringify(one)}\n`);
      update(sessionId, one);
    }
    return { stopReason: 'end_turn' };
  },
});
