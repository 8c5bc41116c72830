/**
 * A correct agent based on the SDK's agent(). The prompt decides what it does: `permission` requests a permission for a tool call with the same
 * toolCallId in every turn, `form` and `page` request values or that the user opens a page, `wait` continues until it is canceled, and any other
 * prompt is echoed in two chunks.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { agent, methods, ndJsonStream, RequestError } from '@agentclientprotocol/sdk';

const turns = new Map();

async function play({ params: { sessionId, prompt }, client }) {
  const cancelled = new AbortController();
  turns.set(sessionId, cancelled);
  const update = (change) => client.notify(methods.client.session.update, { sessionId, update: change });
  const say = (text) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  const text = prompt.map((block) => block.text ?? '').join('');
  if (text === 'wait') {
    await say('waiting');
    if (!cancelled.signal.aborted) await once(cancelled.signal, 'abort');
  } else if (text === 'form' || text === 'page') {
    await say(JSON.stringify(await client.request(methods.client.elicitation.create, { sessionId, ...elicitations[text] })));
  } else if (text === 'permission') {
    await askAndRun(sessionId, client, update);
  } else {
    await say('You said: ');
    await say(text);
  }
  return { stopReason: cancelled.signal.aborted ? 'cancelled' : 'end_turn' };
}

const elicitations = {
  form: {
    mode: 'form',
    message: 'Who?',
    requestedSchema: {
      type: 'object',
      properties: { name: { type: 'string' }, size: { type: 'array', items: { type: 'string', enum: ['S', 'L'] } } },
      required: ['name'],
    },
  },
  page: { mode: 'url', message: 'Sign in', elicitationId: 'e1', url: 'https://example.com/' },
};

async function askAndRun(sessionId, client, update) {
  const toolCall = { toolCallId: 'call_1', title: 'Change the file', kind: 'edit', status: 'pending', rawInput: { path: 'file' } };
  await update({ sessionUpdate: 'tool_call', ...toolCall });
  const { outcome } = await client.request(methods.client.session.requestPermission, {
    sessionId,
    toolCall,
    options: [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ],
  });
  await update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: outcome.optionId ?? outcome.outcome } });
  const allowed = outcome.outcome === 'selected' && outcome.optionId === 'yes';
  await update({
    sessionUpdate: 'tool_call_update',
    toolCallId: 'call_1',
    status: allowed ? 'completed' : 'failed',
    rawOutput: { outcome },
  });
}

agent({ name: 'sdk-agent' })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentInfo: { name: 'sdk-agent', version: '1.0.0' },
    agentCapabilities: {},
  }))
  .onRequest(methods.agent.session.new, () => ({ sessionId: randomUUID() }))
  .onRequest(methods.agent.session.prompt, (context) => {
    if (context.params.prompt.length === 0) throw RequestError.invalidParams(undefined, 'an empty prompt');
    return play(context);
  })
  .onNotification(methods.agent.session.cancel, ({ params }) => turns.get(params.sessionId)?.abort())
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
