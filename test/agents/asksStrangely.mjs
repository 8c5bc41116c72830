// Sends the unusual request that the prompt names, and reports the answer. A host must handle all of them.
import { request, say, serve, update } from './wire.mjs';

const yes = { optionId: 'yes', name: 'Yes', kind: 'allow_once' };

const requests = {
  noOptions: (sessionId) => [
    'session/request_permission',
    { sessionId, toolCall: { toolCallId: 'c1', title: 'Nothing to choose' }, options: [] },
  ],
  strangeOptions: (sessionId) => [
    'session/request_permission',
    { sessionId, toolCall: { toolCallId: 'c1', title: 'No list' }, options: 'yes' },
  ],
  unknownSession: () => [
    'session/request_permission',
    { sessionId: 'nobody', toolCall: { toolCallId: 'c1', title: 'Whose?' }, options: [yes] },
  ],
  changedSession: () => {
    update('s2', { sessionUpdate: 'tool_call', toolCallId: 'c1', title: 'Bash', kind: 'execute', status: 'pending' });
    return ['session/request_permission', { sessionId: 's2', toolCall: { toolCallId: 'c1', title: 'Bash' }, options: [yes] }];
  },
  idOnly: (sessionId) => ['session/request_permission', { sessionId, toolCall: { toolCallId: 'unseen' }, options: [yes] }],
  unannounced: (sessionId) => [
    'session/request_permission',
    { sessionId, toolCall: { toolCallId: 'unseen', title: 'Unannounced', kind: 'execute', rawInput: { a: 1 } }, options: [yes] },
  ],
  announced: (sessionId) => {
    const said = { type: 'content', content: { type: 'text', text: 'said before' } };
    const call = {
      toolCallId: 'c1',
      title: 'Bash',
      kind: 'execute',
      status: 'pending',
      rawInput: { command: 'rm -rf build' },
      content: [said],
    };
    update(sessionId, { sessionUpdate: 'tool_call', ...call });
    const asked = { type: 'content', content: { type: 'text', text: 'said with the request' } };
    return ['session/request_permission', { sessionId, toolCall: { toolCallId: 'c1', title: 'Bash', content: [asked] }, options: [yes] }];
  },
  otherId: (sessionId) => {
    const call = { title: 'Bash', kind: 'execute', rawInput: { command: 'rm -rf build' } };
    update(sessionId, { sessionUpdate: 'tool_call', toolCallId: 'call-1', status: 'pending', ...call });
    return ['session/request_permission', { sessionId, toolCall: { toolCallId: 'permission-1', ...call }, options: [yes] }];
  },
  questionWithoutText: (sessionId) => ['_agentao.cn/ask_user', { sessionId, options: ['A', 5, 'B'], multiple: 'yes' }],
  choice: (sessionId) => [
    '_agentao.cn/ask_user',
    { sessionId, question: 'Which?', header: 'Pick', options: ['A', 'B'], multiple: true, allowCustom: false },
  ],
  fsWrite: (sessionId) => ['fs/write_text_file', { sessionId, path: '/nowhere', content: 'x' }],
};

serve({
  'session/prompt': async ({ sessionId, prompt }) => {
    const word = prompt[0].text;
    const [method, params] = requests[word](sessionId);
    const answer = await request(method, params).catch(({ code }) => ({ error: code }));
    if (word === 'unannounced')
      update(sessionId, { sessionUpdate: 'tool_call', toolCallId: 'unseen', title: 'Unannounced', status: 'completed' });
    if (word === 'otherId') update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId: 'call-1', status: 'completed' });
    say(sessionId, JSON.stringify(answer));
    return { stopReason: 'end_turn' };
  },
});
