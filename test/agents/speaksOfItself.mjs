/**
 * Has messages of a vendor, `_meta` and errors with data in both directions. `_own/echo` returns its params, `_own/never` answers only when
 * it is withdrawn, and `_own/seen` returns the notifications so far. A prompt with the text `ask NAME` sends the request `_client/NAME`, and
 * `withdraw` withdraws it. It sends one notification before it answers `initialize`, and forks.
 */
import { readLines } from './lines.mjs';

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const seen = [];
const waiting = new Map();
const asked = new Map();
let ids = 0;

function ask(method, params) {
  const id = `own-${++ids}`;
  send({ id, method, params });
  return { id, answer: new Promise((resolve) => asked.set(id, resolve)) };
}

const methods = {
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: 'own', version: '1' },
    agentCapabilities: { sessionCapabilities: { fork: {} }, _meta: { own: { echo: true } } },
  }),
  'session/new': ({ _meta }) => {
    send({ method: '_own/opened', params: { sessionId: 's1' } });
    return { sessionId: 's1', _meta: { got: _meta ?? null } };
  },
  'session/fork': ({ sessionId, mcpServers, _meta }) => ({ sessionId: 'f1', _meta: { of: sessionId, mcpServers, got: _meta ?? null } }),
  'session/prompt': async ({ sessionId, prompt, _meta }) => {
    const [verb, name] = prompt[0].text.split(' ');
    if (verb === 'fail') throw { code: -32050, message: 'own failure', data: { retry: 3, code: 'own' } };
    let told = null;
    if (verb === 'ask' || verb === 'withdraw') {
      const { id, answer } = ask(`_client/${name}`, { sessionId, text: 'x'.repeat(name === 'much' ? 2_000_000 : 1) });
      if (verb === 'withdraw') send({ method: '$/cancel_request', params: { requestId: id } });
      const { result, error } = await answer;
      told = error ?? result;
    }
    return { stopReason: 'end_turn', _meta: { got: _meta ?? null, told } };
  },
  '_own/echo': (params) => params,
  '_own/fail': () => {
    throw { code: -31000, message: 'own', data: { why: ['x'] } };
  },
  '_own/seen': () => ({ seen }),
  '_own/never': (_, id) => new Promise((_resolve, reject) => waiting.set(id, () => reject({ code: -32800, message: 'withdrawn' }))),
};

readLines(
  process.stdin,
  async (line) => {
    const { id, method, params, result, error } = JSON.parse(line);
    if (method === undefined) return asked.get(id)?.({ result, error });
    if (id === undefined) {
      seen.push([method, params]);
      if (method === '$/cancel_request') waiting.get(params.requestId)?.();
      return;
    }
    if (method === 'initialize') send({ method: '_own/early', params: { early: true } });
    try {
      if (!methods[method]) throw { code: -32601, message: 'Method not found' };
      send({ id, result: await methods[method](params, id) });
    } catch (thrown) {
      const { code = -32603, message, data } = thrown;
      send({ id, error: { code, message, ...(data && { data }) } });
    }
  },
  () => process.exit(0),
);
