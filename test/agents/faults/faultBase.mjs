// The base of the agents for fault tests. It works correctly until the moment named in FAULT_AT, and then has the fault of its script once.
// The files `pids`, `received` (prompts) and `struck` in its folder record what happened, across processes.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';

/** A fault returns this if the pending answer must not be sent. */
export const silent = Symbol('silent');

export const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
export const update = (sessionId, body) => send({ method: 'session/update', params: { sessionId, update: body } });
export const say = (sessionId, text, sessionUpdate = 'agent_message_chunk') =>
  update(sessionId, { sessionUpdate, content: { type: 'text', text } });
export const recordPid = (pid) => appendFileSync('pids', `${pid}\n`);

const options = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];
const toolCall = { toolCallId: 'c1', title: 'Do it', kind: 'execute', rawInput: { command: 'true' } };
export const askPermission = (sessionId, id) =>
  send({ id, method: 'session/request_permission', params: { sessionId, toolCall, options } });

const introduction = { protocolVersion: 1, agentInfo: { name: 'faulty', version: '1.0.0' }, agentCapabilities: { loadSession: true } };

/**
 * @param fault called with `{moment, id, sessionId, answer, history, takeInput, ignoreEnd}`: `id` of the host's open request, `answer` sends the
 *   pending answer or a different one, `history` is what a load has yet to replay and can be changed, `takeInput` handles text from stdin,
 *   `ignoreEnd` makes the agent ignore the end of stdin
 * @param always every time and in each process, instead of once
 */
export function misbehave(fault, { always = false } = {}) {
  const isDue = (moment) => {
    if (moment !== process.env.FAULT_AT || (!always && existsSync('struck'))) return false;
    writeFileSync('struck', moment);
    return true;
  };
  const strike = async (moment, context) =>
    (await fault({ moment, sessionId: 's0', history: [], takeInput, ignoreEnd, ...context })) !== silent;
  const onEnd = () => process.exit(0);
  const ignoreEnd = () => process.stdin.off('end', onEnd);
  const waiting = new Map();
  const untilCancelled = new Map();

  async function respond(moment, id, result) {
    const answer = (other = result) => send({ id, result: other });
    const sessionId = result.sessionId;
    if (!isDue(moment) || (await strike(moment, { id, answer, ...(sessionId === undefined ? {} : { sessionId }) }))) answer();
  }

  async function load(id, sessionId) {
    const history = existsSync('received') ? readFileSync('received', 'utf8').trim().split('\n') : [];
    const answer = (result = {}) => send({ id, result });
    const replay = (turns) => turns.forEach((prompt) => [say(sessionId, prompt, 'user_message_chunk'), say(sessionId, 'half whole')]);
    const due = isDue('load');
    replay(history.splice(0, 1));
    if (due && !(await strike('load', { id, sessionId, answer, history }))) return;
    replay(history);
    answer();
  }

  async function turn(id, sessionId, text) {
    const answer = (result = { stopReason: 'end_turn' }) => send({ id, result });
    const moment = { ask: 'permission', wait: 'cancel' }[text] ?? 'prompt';
    if (moment === 'permission') {
      const due = isDue(moment);
      update(sessionId, { sessionUpdate: 'tool_call', status: 'pending', ...toolCall });
      const replied = new Promise((resolve) => waiting.set('ask', resolve));
      askPermission(sessionId, 'ask');
      if (due && !(await strike(moment, { id, sessionId, answer }))) return;
      const { result } = await replied;
      say(sessionId, result.outcome.optionId ?? result.outcome.outcome);
    } else if (moment === 'cancel') {
      const cancelled = new Promise((resolve) => untilCancelled.set(sessionId, resolve));
      say(sessionId, 'waiting');
      await cancelled;
      const result = { stopReason: 'cancelled' };
      if (isDue(moment)) {
        say(sessionId, ' stopping');
        if (!(await strike(moment, { id, sessionId, answer: (other = result) => answer(other) }))) return;
      }
      return answer(result);
    } else {
      const due = isDue(moment);
      say(sessionId, 'half');
      if (due && !(await strike(moment, { id, sessionId, answer }))) return;
      say(sessionId, ' whole');
    }
    answer();
    if (isDue('idle')) setImmediate(() => void strike('idle', { sessionId }));
  }

  function handle({ id, method, params, ...reply }) {
    switch (method) {
      case undefined:
        return waiting.get(id)?.(reply);
      case 'initialize':
        return respond('initialize', id, introduction);
      case 'session/new':
        return respond('new', id, { sessionId: 's1' });
      case 'session/load':
        return load(id, params.sessionId);
      case 'session/cancel':
        return untilCancelled.get(params.sessionId)?.();
      case 'session/prompt': {
        const [{ text }] = params.prompt;
        appendFileSync('received', `${text}\n`);
        return turn(id, params.sessionId, text);
      }
      default:
        if (id !== undefined) send({ id, error: { code: -32601, message: 'Method not found' } });
    }
  }

  let rest = '';
  function takeInput(text) {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines) void handle(JSON.parse(line));
  }

  recordPid(process.pid);
  process.stdin.setEncoding('utf8').on('data', takeInput).on('end', onEnd);
  // No input is read before the end of this tick.
  if (isDue('start')) void strike('start', {});
}
