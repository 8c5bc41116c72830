/**
 * Stands in for Pi 0.74 (`pi074`), Pi 0.87 (`pi087`) and xcsh 17 (`xcsh`), and is no evidence of interoperability. It shares no code with the
 * product. Strict: for input that a host must not send, it exits with 70 and the reason on stderr.
 * `--dialect D --sessions FOLDER`. The prompt (before ` #`) selects what it does; it repeats any other prompt in parts. `earlier` is a session
 * that exists from the start. `failsLate` is accepted, and refused when the next prompt arrives. With `--same-ids`, an event with the id of a
 * command comes before its answer. With `--chunks`, it limits frames as omp 17.2 does, and lists a model with a very long name.
 */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { emitter } from './piFrames.mjs';
import { openSessions } from './piSessions.mjs';
import { models, settingsFor } from './piSettings.mjs';
import { tricksFor } from './piTricks.mjs';

const argument = (name, otherwise) => process.argv[process.argv.indexOf(name) + 1 || process.argv.length] ?? otherwise;
const dialect = argument('--dialect', 'pi074');
const folder = argument('--sessions', path.join(process.cwd(), '.sessions'));
const [isXcsh, isNew, hasSameIds] = [dialect === 'xcsh', dialect === 'pi087', process.argv.includes('--same-ids')];
const { emit, ready, frameCommands } = emitter(process.argv.includes('--chunks'));
function violation(why) {
  process.stderr.write(`violation: ${why}\n`);
  process.exit(70);
}

const text = (words) => [{ type: 'text', text: words }];
const usage = { input: 10, output: 5, cacheRead: 1, cacheWrite: 0, totalTokens: 16, cost: { total: 0.001 } };
const assistant = (content, more = {}) => ({ role: 'assistant', content, usage, stopReason: 'stop', timestamp: 1, ...more });
const sessions = openSessions({
  folder,
  firstModel: models[0],
  earlier: [
    { role: 'user', content: 'old prompt', timestamp: 1 },
    assistant([
      { type: 'thinking', thinking: 'old thought' },
      ...text('old answer'),
      { type: 'toolCall', id: 'old', name: 'bash', arguments: { command: 'ls' } },
    ]),
    { role: 'toolResult', toolCallId: 'old', toolName: 'bash', content: text('old output'), isError: false, timestamp: 1 },
  ],
});

/** The current run. */
let run;
const queue = { steering: [], followUp: [] };
const dialogs = new Map();
const hostCalls = new Map();
const agent = {
  mute: false,
  deaf: false,
  lostAborts: 0,
  lostStates: 0,
  isXcsh,
  isNew,
  emit,
  violation,
  get session() {
    return sessions.current;
  },
};

/** The queue as it is reported: only the text of a prompt with pictures. */
const queuedWords = (take = (prompts) => prompts) =>
  Object.fromEntries(Object.entries(queue).map(([kind, prompts]) => [kind, take(prompts).map(({ message }) => message)]));
const tellQueue = () => !isXcsh && emit({ type: 'queue_update', ...queuedWords() });
const message = (type, body) => emit({ type, message: body });
function say(content, more) {
  const whole = assistant([], more);
  message('message_start', whole);
  const update = (event) =>
    emit({
      type: 'message_update',
      ...(isNew ? { usage } : { message: whole }),
      assistantMessageEvent: isNew ? event : { ...event, partial: whole },
    });
  for (const [contentIndex, part] of content.entries()) {
    whole.content.push(part);
    if (part.type === 'toolCall') {
      update({ type: 'toolcall_start', contentIndex, ...(isNew ? { id: part.id, toolName: part.name } : {}) });
      update({ type: 'toolcall_delta', contentIndex, delta: JSON.stringify(part.arguments) });
      update({ type: 'toolcall_end', contentIndex, toolCall: part });
      continue;
    }
    const [kind, words] = part.type === 'text' ? ['text', part.text] : ['thinking', part.thinking];
    update({ type: `${kind}_start`, contentIndex });
    // One code unit each, because the host must join surrogates itself.
    for (let index = 0; index < words.length; index++) update({ type: `${kind}_delta`, contentIndex, delta: words[index] });
    update({ type: `${kind}_end`, contentIndex, content: words });
  }
  message('message_end', whole);
  agent.session.messages.push(whole);
}
const ask = (method, fields) =>
  new Promise((resolve) => {
    const id = randomUUID();
    dialogs.set(id, resolve);
    emit({ type: 'extension_ui_request', id, method, ...fields });
    // The host gets no message, and the agent continues.
    if (fields.timeout > 0) setTimeout(() => dialogs.delete(id) && resolve({ timedOut: true }), fields.timeout);
  });
const hostTool = (toolName, args = {}) =>
  new Promise((resolve) => {
    const id = `host_${hostCalls.size + 1}`;
    hostCalls.set(id, resolve);
    emit({ type: 'host_tool_call', id, toolCallId: 'call_host', toolName, arguments: args });
  });
const untilStopped = () => new Promise((resolve) => (run.isAborted ? resolve() : run.stops.push(resolve)));
Object.assign(agent, {
  say,
  ask,
  hostTool,
  untilStopped,
  text,
  message,
  words: (said) => say(text(said)),
  get isAborted() {
    return run?.isAborted ?? false;
  },
});
const tricks = tricksFor(agent);

async function turn(said) {
  emit({ type: 'turn_start' });
  const user = { role: 'user', content: [...text(said.message), ...(said.images ?? [])], timestamp: 1 };
  // A prompt that a skill of this name replaces is not shown as a message.
  if (said.message !== '<skill>silent</skill>') {
    message('message_start', user);
    message('message_end', user);
  }
  agent.session.messages.push(user);
  const [word] = /^(host|flood)(?= )/.exec(said.message) ?? [said.message];
  const trick = Object.hasOwn(tricks, word) ? tricks[word] : undefined;
  if (trick === undefined) say(text(said.message));
  else await trick(said);
  if (run.isAborted) say([], { stopReason: 'aborted' });
  emit({ type: 'turn_end', message: agent.session.messages.at(-1), toolResults: [] });
  await new Promise((resolve) => setImmediate(resolve));
}
async function work(first) {
  run = { isAborted: false, stops: [] };
  const ended = new Promise((resolve) => (run.over = resolve));
  run.ended = ended;
  emit({ type: 'agent_start' });
  if (isNew)
    for (const type of ['message_start', 'message_end']) message(type, { role: 'system', content: text('You are secret.'), timestamp: 1 });
  for (let next = first; next !== undefined && !run.isAborted; next = takeNext()) await turn(next);
  await tricks.beforeEnd?.();
  sessions.save();
  const { over } = run;
  run = undefined;
  if (agent.endsUnreported) return over();
  emit({ type: 'agent_end', messages: [], ...(isNew ? { willRetry: false } : {}) });
  await tricks.afterEnd?.();
  if (isNew) emit({ type: 'agent_settled' });
  over();
}
function takeNext() {
  if (run.isAborted) return undefined;
  const next = queue.steering.shift() ?? queue.followUp.shift();
  if (next === undefined) return undefined;
  tellQueue();
  return next;
}

const contextUsage = { tokens: 60, contextWindow: 1000, percent: 6 };
const state = ({ session } = agent) => ({
  model: session.model,
  thinkingLevel: session.thinking,
  isStreaming: run !== undefined,
  isCompacting: false,
  steeringMode: session.steering,
  followUpMode: session.followUp,
  sessionFile: session.file,
  sessionId: session.id,
  ...(session.name === undefined ? {} : { sessionName: session.name }),
  autoCompactionEnabled: session.autoCompaction,
  messageCount: session.messages.length,
  ...(isXcsh
    ? {
        interruptMode: session.interrupt,
        queuedMessageCount: queue.steering.length + queue.followUp.length,
        todoPhases: session.todos,
        contextUsage,
      }
    : { pendingMessageCount: queue.steering.length + queue.followUp.length }),
});

const saidOnce = new Set();
async function prompt(said, reply) {
  agent.onPrompt?.();
  agent.onPrompt = undefined;
  // `once WORDS` is refused every second time, and `die again` ends it the second time.
  const wasSaid = saidOnce.delete(said.message);
  const isAgain = wasSaid && said.message.startsWith('once ');
  if (wasSaid && said.message === 'die again') process.exit(9);
  if (!wasSaid) saidOnce.add(said.message);
  if (said.message === 'oops' || isAgain) {
    reply({ success: false, error: 'an agent cannot do this' });
    if (isXcsh) reply({ success: true });
    return;
  }
  if (said.message === 'failsLate') {
    agent.onPrompt = () => reply({ success: false, error: 'an agent cannot do this' });
    return reply({ success: true });
  }
  if (said.message.startsWith('/skill:')) said = { ...said, message: `<skill>${said.message.slice('/skill:'.length)}</skill>` };
  if (said.message.startsWith('/')) {
    // A command of an extension is answered when it is done, and starts no run.
    if (isXcsh) {
      reply({ success: true });
      return void tricks.command(said.message);
    }
    await tricks.command(said.message);
    reply({ success: true, ...(isNew ? { data: { disposition: 'handled' } } : {}) });
    return;
  }
  if (run !== undefined && !run.isAborted) {
    if (said.streamingBehavior === undefined) return reply({ success: false, error: 'Agent is already processing.' });
    if (said.streamingBehavior !== 'steer' && said.streamingBehavior !== 'followUp')
      violation(`streamingBehavior ${said.streamingBehavior}`);
    queue[said.streamingBehavior === 'steer' ? 'steering' : 'followUp'].push(said);
    tellQueue();
    return reply({ success: true });
  }
  await run?.ended;
  reply({ success: true });
  if (isXcsh) setTimeout(() => void work(said), 50);
  else void work(said);
}
async function abort() {
  if (agent.lostAborts > 0) return void agent.lostAborts--;
  for (const [id, resolve] of hostCalls) {
    emit({ type: 'host_tool_cancel', id: `c_${id}`, targetId: id });
    resolve({ cancelled: true });
  }
  hostCalls.clear();
  if (run === undefined) return;
  run.isAborted = true;
  const { ended } = run;
  for (const stop of run.stops.splice(0)) stop();
  // Waits until the agent is idle, which never happens while a dialog is open.
  await ended;
}
const commands = {
  abort,
  get_state: () => state(),
  get_messages: () => ({ messages: agent.session.messages }),
  ...settingsFor(agent),
  ...frameCommands,
  new_session: sessions.begin,
  switch_session: sessions.switchTo,
  set_session_name({ name }) {
    if (!name?.trim()) throw new Error('Session name cannot be empty');
    agent.session.name = name;
    if (!isXcsh) emit({ type: 'session_info_changed', name });
  },
  async get_session_stats() {
    await agent.untilReport;
    return { sessionId: agent.session.id, cost: 0.45, ...(isXcsh ? {} : { contextUsage }) };
  },
  compact: () => ({ summary: 'all of it', firstKeptEntryId: 'x', tokensBefore: 100, details: {} }),
  bash: ({ command, id }) => tricks.bash(command, id),
  export_html: ({ outputPath = 'session.html' }) => ({ path: outputPath }),
  ...(isXcsh
    ? { get_branch_messages: sessions.forkPoints, branch: sessions.forkAt }
    : { get_fork_messages: sessions.forkPoints, fork: sessions.forkAt, clone: sessions.clone }),
  get_last_assistant_text: () => ({ text: 'last words' }),
  ...(isXcsh
    ? {
        set_host_tools({ tools }) {
          for (const { name, description, parameters } of tools)
            if (!name || !description || parameters?.type !== 'object')
              throw new Error('Host tool without name, description or parameters');
          return { toolNames: tools.map(({ name }) => name) };
        },
      }
    : {
        get_commands: () => ({
          commands: [
            { name: 'ext', description: 'Of an extension', source: 'extension', sourceInfo: { path: '/e.ts' } },
            { name: 'skill:s', source: 'skill' },
          ],
        }),
      }),
  ...(isNew
    ? {
        clear_queue() {
          const was = queuedWords((prompts) => prompts.splice(0));
          tellQueue();
          return was;
        },
      }
    : {}),
};

agent.commands = commands;

const unanswered = new Set();
async function handle(command) {
  const { id, type } = command;
  const reply = (body) => {
    unanswered.delete(id);
    if (agent.mute && type !== 'abort' && type !== 'prompt') return;
    if (type === 'get_state' && agent.lostStates > 0) return void agent.lostStates--;
    emit({ ...(body.idless ? {} : { id }), type: 'response', command: type, ...body, idless: undefined });
  };
  if (hasSameIds) emit({ type: 'extension_ui_request', id, method: 'setStatus', statusKey: 'same', statusText: type });
  if (type === 'prompt') return prompt(command, reply);
  if (!Object.hasOwn(commands, type)) return reply({ success: false, error: `Unknown command: ${type}`, idless: !isNew });
  try {
    const data = await commands[type](command);
    reply({ success: true, ...(data === undefined ? {} : { data }) });
  } catch (error) {
    reply({ success: false, error: error.message, ...(isXcsh && type === 'set_session_name' ? { command: 'parse', idless: true } : {}) });
  }
}

function receive(line) {
  if (line.includes('\r')) violation('a carriage return');
  let frame;
  try {
    frame = JSON.parse(line);
  } catch (error) {
    if (isXcsh) process.exit(1);
    return emit({ type: 'response', command: 'parse', success: false, error: `Failed to parse command: ${error.message}` });
  }
  if (frame === null || typeof frame !== 'object') violation(`a line ${line}`);
  if (frame.type === 'extension_ui_response') {
    if (!dialogs.has(frame.id)) violation(`an answer to dialog ${frame.id}, which is not open`);
    const resolve = dialogs.get(frame.id);
    dialogs.delete(frame.id);
    return resolve(frame);
  }
  if (frame.type === 'host_tool_result') {
    if (!Array.isArray(frame.result?.content)) violation('a host tool result without content');
    hostCalls.get(frame.id)?.(frame);
    return void hostCalls.delete(frame.id);
  }
  // Messages of another protocol get the error for unknown commands.
  if (typeof frame.type !== 'string')
    return emit({ ...(isNew ? { id: frame.id } : {}), type: 'response', success: false, error: 'Unknown command: undefined' });
  if (typeof frame.id !== 'string' || unanswered.has(frame.id)) violation(`the id ${frame.id} of ${frame.type}`);
  unanswered.add(frame.id);
  return handle(frame);
}

/** xcsh reads the next line after it has finished the previous one. Pi does not wait. */
const lines = [];
let isReading = false;
async function read() {
  if (isReading) return;
  isReading = true;
  while (lines.length > 0) {
    const done = receive(lines.shift());
    if (isXcsh) await done;
  }
  isReading = false;
  if (ended && !agent.deaf) process.exit(0);
}
let ended = false;
let rest = '';
const decoder = new StringDecoder('utf8');
process.stdin.on('data', (chunk) => {
  const parts = (rest + decoder.write(chunk)).split('\n');
  rest = parts.pop();
  if (isXcsh && unanswered.size + parts.length > 1 && !agent.mute && parts.some((line) => !/ui_response|host_tool/.test(line)))
    if (unanswered.size > 0 || parts.filter((line) => !/ui_response|host_tool/.test(line)).length > 1)
      violation('a command before the answer to the one before');
  lines.push(...parts);
  void read();
});
process.stdin.on('end', () => {
  ended = true;
  agent.onClosed?.();
  if (agent.deaf) setInterval(() => {}, 1 << 30);
  else if (!isReading) process.exit(0);
});
if (isXcsh) emit(ready);
else emit({ type: 'extension_ui_request', id: randomUUID(), method: 'setTitle', title: 'π - stand-in' });
