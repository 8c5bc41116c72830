// For each word of the prompt, makes one tool call, without asking unless the word says so: `execute`, `edit`, `read`, `ask` (a permission,
// then an execute), `question` (a form while an execute is open), `fail` (a command that fails), `unended` (an execute that
// never ends), `afterwards` (an execute after the turn), `withMode` (an execute when its mode is set next). `die` exits.
// ACTS_UNASKED_NAME: the agent's name. ACTS_UNASKED_MODE: the initial mode of its sessions. A session that it loads has run a command before.
import { request, say, serve, update } from './wire.mjs';

const { ACTS_UNASKED_NAME: name = 'acts-unasked', ACTS_UNASKED_MODE: firstMode = 'default' } = process.env;
const modeIds = { default: 'Default', 'workspace-write': 'Workspace write', auto: 'Agent', autoEdit: 'Auto Edit', yolo: 'YOLO' };
const availableModes = Object.entries(modeIds).map(([id, label]) => ({ id, name: label }));
const modes = () => ({ currentModeId: firstMode, availableModes });
let sessions = 0;
let calls = 0;
/** What it does after its turn. */
let late = () => {};
let onMode = () => {};

const titles = { execute: 'ls -la', edit: 'Edit a.txt', delete: 'Delete a.txt', move: 'Move a.txt', read: 'Read a.txt' };

function begin(sessionId, kind) {
  const toolCallId = `c${++calls}`;
  update(sessionId, { sessionUpdate: 'tool_call', toolCallId, title: titles[kind], kind, status: 'in_progress' });
  return toolCallId;
}

const end = (sessionId, toolCallId, fields = {}) =>
  update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', ...fields });

const deeds = {
  async ask(sessionId) {
    const toolCallId = begin(sessionId, 'execute');
    const options = [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ];
    const { outcome } = await request('session/request_permission', { sessionId, toolCall: { toolCallId }, options });
    end(sessionId, toolCallId, { status: outcome.optionId === 'yes' ? 'completed' : 'failed' });
  },
  async question(sessionId) {
    const toolCallId = begin(sessionId, 'execute');
    const requestedSchema = { type: 'object', properties: { go: { type: 'string', enum: ['yes', 'no'] } }, required: ['go'] };
    await request('elicitation/create', { sessionId, mode: 'form', message: 'Run it?', requestedSchema });
    end(sessionId, toolCallId);
  },
  fail(sessionId) {
    end(sessionId, begin(sessionId, 'execute'), { status: 'failed', rawOutput: { exitCode: 3 } });
  },
  unended: (sessionId) => void begin(sessionId, 'execute'),
  afterwards(sessionId) {
    late = () => end(sessionId, begin(sessionId, 'execute'));
  },
  withMode(sessionId) {
    onMode = () => end(sessionId, begin(sessionId, 'execute'));
  },
  die: () => new Promise(() => setImmediate(() => process.exit(1))),
};

serve({
  initialize: () => ({ protocolVersion: 1, agentInfo: { name, version: '9.0.0' }, agentCapabilities: { loadSession: true } }),
  'session/new': () => ({ sessionId: `s${++sessions}`, modes: modes() }),
  'session/load': ({ sessionId }) => {
    update(sessionId, { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'earlier' } });
    end(sessionId, begin(sessionId, 'execute'));
    say(sessionId, 'done earlier');
    return { modes: modes() };
  },
  'session/set_mode': ({ sessionId, modeId }) => {
    update(sessionId, { sessionUpdate: 'current_mode_update', currentModeId: modeId });
    onMode();
    return {};
  },
  'session/prompt': async ({ sessionId, prompt }) => {
    for (const word of prompt[0].text.split(' ')) {
      if (Object.hasOwn(deeds, word)) await deeds[word](sessionId);
      else if (Object.hasOwn(titles, word)) end(sessionId, begin(sessionId, word));
      else say(sessionId, word);
    }
    setImmediate(late);
    late = () => {};
    return { stopReason: 'end_turn' };
  },
});
