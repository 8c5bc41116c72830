// Announces one thing and asks about another, in the way that the prompt names, and reports the answer. `later` says what the agent does while its request is open.
import { request, say, serve, update } from './wire.mjs';

const options = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];
const removal = { command: 'rm -rf build' };
const call = (toolCallId, more) => ({ toolCallId, title: 'Bash', kind: 'execute', status: 'pending', ...more });
const change = (path, oldText, newText) => ({ type: 'diff', path, oldText, newText });
const changes = [change('/project/a.txt', 'red', 'blue'), change('/project/a.txt', '10', '12'), change('/project/b.txt', null, 'be nice')];

const cases = {
  reusedId: {
    before: [
      { sessionUpdate: 'tool_call', ...call('c1', { rawInput: removal }) },
      { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' },
    ],
    asked: { toolCallId: 'c1', title: 'Look around', kind: 'other' },
  },
  merged: {
    before: [{ sessionUpdate: 'tool_call', ...call('c1', { rawInput: { command: 'rm', args: ['-rf', 'build'] } }) }],
    asked: call('c1', { rawInput: { command: 'ls' } }),
  },
  changed: {
    before: [{ sessionUpdate: 'tool_call', ...call('c1', { rawInput: { command: 'ls' } }) }],
    asked: { toolCallId: 'c1' },
    later: [{ sessionUpdate: 'tool_call_update', toolCallId: 'c1', rawInput: removal }],
  },
  changedOften: {
    before: [{ sessionUpdate: 'tool_call', ...call('c1', { rawInput: { command: 'ls' } }) }],
    asked: { toolCallId: 'c1' },
    later: ['a', 'b', 'c', 'build'].map((name) => ({
      sessionUpdate: 'tool_call_update',
      toolCallId: 'c1',
      rawInput: { command: `rm -rf ${name}` },
    })),
  },
  changedFromAsked: {
    before: [{ sessionUpdate: 'tool_call', ...call('c1', { rawInput: { command: 'pwd' } }) }],
    asked: call('c1', { rawInput: { command: 'ls' } }),
    later: [{ sessionUpdate: 'tool_call_update', toolCallId: 'c1', rawInput: removal }],
  },
  announcedLater: {
    before: [],
    asked: { toolCallId: 'c1', title: 'Look around', kind: 'other' },
    later: [{ sessionUpdate: 'tool_call', ...call('c1', { rawInput: removal }) }],
  },
  otherId: {
    before: [{ sessionUpdate: 'tool_call', ...call('c1', { rawInput: removal }) }],
    asked: { toolCallId: 'confirmation', title: 'Confirm Agent Actions', kind: 'other', content: [], locations: [] },
  },
  otherIdLater: {
    before: [],
    asked: { toolCallId: 'confirmation', title: 'Confirm Agent Actions', kind: 'other' },
    later: [{ sessionUpdate: 'tool_call', ...call('c1', { rawInput: removal }) }],
  },
  otherIdWithText: {
    before: [{ sessionUpdate: 'tool_call', ...call('c1', { rawInput: removal }) }],
    asked: {
      toolCallId: 'confirmation',
      title: 'Confirm',
      content: [{ type: 'content', content: { type: 'text', text: 'One action needs your confirmation.' } }],
    },
  },
  diffs: {
    before: [{ sessionUpdate: 'tool_call', ...call('c1', { kind: 'edit', content: changes }) }],
    asked: call('c1', { kind: 'edit', content: changes.slice(0, 1) }),
  },
  sameAgain: {
    before: [{ sessionUpdate: 'tool_call', ...call('c1', { rawInput: removal }) }],
    asked: call('c1', { rawInput: removal }),
    later: [
      { sessionUpdate: 'tool_call_update', toolCallId: 'c1', rawInput: removal },
      { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'in_progress' },
      { sessionUpdate: 'tool_call', ...call('c2', { rawInput: { command: 'ls' } }) },
    ],
  },
};

serve({
  'session/prompt': async ({ sessionId, prompt }) => {
    const { before, asked, later = [] } = cases[prompt[0].text];
    for (const body of before) update(sessionId, body);
    const answer = request('session/request_permission', { sessionId, toolCall: asked, options });
    for (const body of later) update(sessionId, body);
    say(sessionId, 'All is sent.');
    const { outcome } = await answer;
    say(sessionId, `decided: ${outcome.optionId}.`);
    return { stopReason: 'end_turn' };
  },
});
