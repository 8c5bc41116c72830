// The minimum for an agent: a line-based connection, and a table of methods that the script passes to `serve`.
import { readLines } from './lines.mjs';

let requests = 0;
const waiting = new Map();

export const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

export const update = (sessionId, body) => send({ method: 'session/update', params: { sessionId, update: body } });

export const say = (sessionId, text) => update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });

/** Resolves with the result of the client; rejects with its error. */
export function request(method, params) {
  const id = `r${++requests}`;
  send({ id, method, params });
  return new Promise((resolve, reject) => waiting.set(id, ({ result, error }) => (error ? reject(error) : resolve(result))));
}

const defaults = {
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: 'test-agent', version: '1.0.0' }, agentCapabilities: {}, authMethods: [] }),
  'session/new': () => ({ sessionId: 's1' }),
};

/**
 * @param methods name → function of the params and the id; a thrown `{code, message}` is sent as it is, a promise that stays pending is never answered
 * @param onEnd called at the end of stdin
 */
export function serve(methods, onEnd = () => process.exit(0)) {
  const table = { ...defaults, ...methods };
  readLines(
    process.stdin,
    async (line) => {
      const message = JSON.parse(line);
      if (message.method === undefined) return waiting.get(message.id)?.(message);
      const method = table[message.method];
      if (message.id === undefined) return method?.(message.params);
      try {
        if (!method) throw { code: -32601, message: 'Method not found' };
        send({ id: message.id, result: await method(message.params, message.id) });
      } catch (error) {
        send({ id: message.id, error: { code: error.code ?? -32603, message: error.message, ...(error.data && { data: error.data }) } });
      }
    },
    onEnd,
  );
}
