// Goes on after its turn: with a sub-agent, a command in a terminal of its host, or by itself. A prompt begins one of them; between turns, the
// value of its option says what happens next.
import { existsSync, watch } from 'node:fs';
import { request, say, serve, update } from './wire.mjs';

const session = 's1';
const child = 'child';
const steps = ['nothing', 'finish', 'speak', 'call', 'ask', 'plan'];
const optionsAt = (currentValue) => [
  { type: 'select', id: 'step', name: 'Step', currentValue, options: steps.map((value) => ({ value, name: value })) },
];
const tellChild = (patch) => update(session, { sessionUpdate: 'subagent_update', sessionId: child, ...patch });
const permissions = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];
let onCancel = () => {};
let calls = 0;

const begins = {
  child: () => tellChild({ title: 'Explore', capabilities: { cancel: {} }, state: { state: 'running' } }),
  /** Its sub-agent ends when there is a file with this name in its folder. */
  childUntilFile() {
    begins.child();
    const watcher = watch('.', () => {
      if (!existsSync('childUntilFile')) return;
      watcher.close();
      does.finish();
      does.speak();
    });
  },
  unstoppable: () => tellChild({ title: 'Explore', state: { state: 'running' } }),
  async command() {
    const { terminalId } = await request('terminal/create', { sessionId: session, command: 'sleep', args: ['600'] });
    const content = [{ type: 'terminal', terminalId }];
    update(session, {
      sessionUpdate: 'tool_call',
      toolCallId: 'sleep',
      title: 'sleep 600',
      kind: 'execute',
      status: 'in_progress',
      content,
    });
  },
  /** Its sub-agent outlives the cancel. */
  async childUntilCancel() {
    begins.child();
    say(session, 'waiting');
    await new Promise((resolve) => (onCancel = resolve));
    return 'cancelled';
  },
};

const does = {
  nothing() {},
  finish: () => tellChild({ state: { state: 'idle', stopReason: 'end_turn' } }),
  speak: () => say(session, 'One more thing.'),
  call: () =>
    update(session, { sessionUpdate: 'tool_call', toolCallId: `own${++calls}`, title: 'Look again', kind: 'read', status: 'in_progress' }),
  plan: () =>
    update(child, { sessionUpdate: 'plan', entries: [{ content: 'Look at callers', priority: 'medium', status: 'in_progress' }] }),
  ask() {
    const toolCall = { toolCallId: 'asked', title: 'Look elsewhere', kind: 'execute', rawInput: { command: 'true' } };
    void request('session/request_permission', { sessionId: child, toolCall, options: permissions }).then(({ outcome }) =>
      update(child, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: outcome.optionId ?? outcome.outcome } }),
    );
  },
};

serve({
  'session/new': () => ({ sessionId: session, configOptions: optionsAt('nothing') }),
  'session/prompt': async ({ prompt }) => {
    const text = prompt.at(-1).text;
    const stopReason = await begins[text]?.();
    if (stopReason === undefined) say(session, text);
    return { stopReason: stopReason ?? 'end_turn' };
  },
  'session/set_config_option': ({ value }) => {
    does[value]();
    return { configOptions: optionsAt(value) };
  },
  'session/cancel': ({ sessionId }) => {
    if (sessionId === child) tellChild({ state: { state: 'idle', stopReason: 'cancelled' } });
    else {
      onCancel();
      if (calls > 0) update(session, { sessionUpdate: 'tool_call_update', toolCallId: `own${calls}`, status: 'failed' });
    }
  },
});
