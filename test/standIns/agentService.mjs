/**
 * Stands in for the agent service, and is no evidence of interoperability: it is written from the protocol document. Strict: it checks every
 * field of a command. One queue for all connections with one worker; one task per connection, where a second one cancels the first; five
 * connections per key; `list_model` is answered beside the queue.
 *
 *   --tls self|issued    a self-signed certificate, or one from its own authority; the note `ready` has the pin
 *   --expired            an expired certificate
 *   --key KEY            the only accepted key
 *   --refuse HOW         refuses other keys with 401|403|at-once|after-frame, or every connection with 404|redirect|silent
 *   --selected-text string|object    the type that optimize and fix accept
 *   --capacity N         the capacity of the queue
 *
 * `exec_chat` repeats its message. `hang` never ends, `oops` fails, `quotesKey` fails with a key in the error, `die` closes the connection,
 * `half` does so within a message, `big` exceeds the message limit, `mib` does not, `babble` sends invalid messages, `wrong` answers another
 * request first, `flood COUNT BYTES` sends that many other answers, and `ide cmd|path|method …` sends a request to its plugin and repeats the
 * answer.
 */
import { createHash } from 'node:crypto';
import { makeCertificate, tlsOptionsOf } from './certificate.mjs';
import { argument, note, serve } from './standIn.mjs';

const models = ['local deepseek-R1:32b', 'deepseek-R1:32b'];
const maxConnections = 5;
const key = argument('key');
const refusal = argument('refuse') ?? '401';
const selectedTextAs = argument('selected-text') ?? 'string';
const capacity = Number(argument('capacity') ?? 20);

/** @typedef {(value: any) => boolean} Check */
/** @type {Check} */ const isText = (value) => typeof value === 'string';
/** @type {Check} */ const isPlace = (value) =>
  Number.isInteger(value?.line) && value.line >= 0 && Number.isInteger(value?.character) && value.character >= 0;
/** @type {Check} */ const isRange = (value) => isPlace(value?.start) && isPlace(value?.end);
/** @type {Check} */ const isTextContext = (value) => isText(value?.filepath) && isRange(value?.range) && isText(value?.text);
/** @type {Check} */ const isSymbol = (value) =>
  isText(value?.name) && isText(value?.kind) && isRange(value?.range) && Array.isArray(value?.children) && value.children.every(isSymbol);
/** @type {Check} */ const isModel = (value) => models.includes(value);
/** @type {Check} */ const isLanguage = (value) => value === 'en' || value === 'zh';
/** @type {Check} */ const isNoStream = (value) => value === false;
const isSelected = selectedTextAs === 'object' ? isTextContext : isText;

/** @type {Record<string, { required: Record<string, Check>, optional: Record<string, Check> }>} */
const commands = {
  list_model: { required: {}, optional: {} },
  exec_chat: { required: { msg: isText, model: isModel }, optional: { stream: isNoStream } },
  exec_explain: {
    required: { selected_text: isTextContext, visible_text: isTextContext, model: isModel },
    optional: { language: isLanguage, stream: isNoStream },
  },
  exec_docstring: { required: { selected_text: isTextContext, model: isModel }, optional: { language: isLanguage, stream: isNoStream } },
  exec_optimize: { required: { selected_text: isSelected, model: isModel }, optional: { language: isLanguage, stream: isNoStream } },
  exec_fix: { required: { selected_text: isSelected, model: isModel }, optional: { language: isLanguage, stream: isNoStream } },
  exec_unittest_recommend: {
    required: {
      file_content: isText,
      filepath: isText,
      func_name: isText,
      func_location: isRange,
      func_symbols: (value) => Array.isArray(value) && value.every(isSymbol),
      model: isModel,
    },
    optional: { language: isLanguage, user_prompt: isText, stream: isNoStream },
  },
  exec_unittest_code: {
    required: { test_cases_str: isText },
    optional: {
      language: isLanguage,
      function_name: isText,
      user_prompt: isText,
      file_path: isText,
      relevant_content: isText,
      reference_content: isText,
      model: isModel,
      stream: isNoStream,
    },
  },
};

/** @param {any} frame @returns {string | undefined} what is wrong with it */
function faultOf(frame) {
  if (typeof frame !== 'object' || frame === null) return 'not an object';
  if (typeof frame.request_id !== 'number') return 'request_id: number required';
  const command = Object.hasOwn(commands, frame.cmd) ? commands[frame.cmd] : undefined;
  if (command === undefined) return `unknown cmd ${String(frame.cmd)}`;
  for (const [name, check] of Object.entries(command.required)) if (!check(frame[name])) return `${name}: required`;
  for (const [name, check] of Object.entries(command.optional)) if (name in frame && !check(frame[name])) return `${name}: wrong`;
  return undefined;
}

/** @param {any} frame @returns {string} */
function answerTo(frame) {
  const place = (/** @type {any} */ { start, end }) => `${start.line}:${start.character}-${end.line}:${end.character}`;
  const selected = (/** @type {any} */ value) =>
    typeof value === 'string' ? value : `${value.filepath} ${place(value.range)} ${value.text}`;
  switch (frame.cmd) {
    case 'exec_chat':
      return frame.msg;
    case 'exec_explain':
      return `explain ${frame.language} ${selected(frame.selected_text)} | ${selected(frame.visible_text)}`;
    case 'exec_unittest_recommend':
      return `recommend ${frame.func_name} ${place(frame.func_location)} of ${frame.filepath} with ${frame.func_symbols.length} symbols`;
    case 'exec_unittest_code':
      return `code of ${frame.function_name} in ${frame.file_path}: ${frame.test_cases_str}`;
    default:
      return `${frame.cmd} ${frame.language} ${selected(frame.selected_text)}`;
  }
}

/** @type {{ connection: Connection, frame: any }[]} */
const queue = [];
/** @type {{ connection: Connection, frame: any } | undefined} */
let working;

function work() {
  if (working !== undefined) return;
  working = queue.shift();
  if (working === undefined) return;
  const task = working;
  note({ event: 'working', id: task.frame.request_id });
  void task.connection.execute(task.frame).then((msg) => {
    if (working !== task) return;
    working = undefined;
    if (msg !== undefined) task.connection.succeed(task.frame.request_id, msg);
    task.connection.task = undefined;
    work();
  });
}

class Connection {
  /** @param {import('./webSocketPeer.mjs').WebSocketPeer} peer @param {boolean} isWelcome */
  constructor(peer, isWelcome) {
    this.peer = peer;
    this.isWelcome = isWelcome;
    /** @type {any} */
    this.task = undefined;
    /** @type {((answer: any) => void) | undefined} */
    this.onIdeAnswer = undefined;
  }

  /** @param {object} value */
  send(value) {
    this.peer.sendText(JSON.stringify(value));
  }

  /** @param {number} id @param {string} msg */
  succeed(id, msg) {
    // As in the document's own example, which is no stream and is never finished.
    this.send({ request_id: id, msg, stream_seq_id: 0, stream_finish: false });
  }

  /** @param {string} text */
  receive(text) {
    let frame;
    try {
      frame = JSON.parse(text);
    } catch {
      note({ event: 'got', text });
      return this.peer.close(1007, 'not JSON');
    }
    note({ event: 'got', frame });
    if (!this.isWelcome) return this.peer.close(1008);
    if (typeof frame?.cmd !== 'string' && (frame?.result !== undefined || frame?.error !== undefined)) return this.onIdeAnswer?.(frame);
    const fault = faultOf(frame);
    if (fault !== undefined) return this.send({ request_id: frame?.request_id ?? 0, error: fault });
    if (frame.cmd === 'list_model') return this.send({ request_id: frame.request_id, models });
    this.cancel();
    if (queue.length >= capacity) return this.send({ request_id: frame.request_id, error: 'the queue is full' });
    this.task = frame;
    queue.push({ connection: this, frame });
    work();
  }

  /** Whatever task it has. */
  cancel() {
    const { task } = this;
    if (task === undefined) return;
    this.task = undefined;
    this.send({ request_id: task.request_id, error: 'cancelled' });
    this.drop(task);
  }

  /** @param {any} task */
  drop(task) {
    const at = queue.findIndex(({ frame }) => frame === task);
    if (at >= 0) queue.splice(at, 1);
    if (working?.frame !== task) return;
    working = undefined;
    work();
  }

  /** @param {any} frame @returns {Promise<string | undefined>} undefined: it was answered in another way */
  async execute(frame) {
    await new Promise((resolve) => setImmediate(resolve));
    if (frame.cmd !== 'exec_chat') return answerTo(frame);
    const [verb, ...words] = frame.msg.split(' ');
    switch (verb) {
      case 'hang':
      case 'wait':
        return new Promise(() => {});
      case 'oops':
        this.send({ request_id: frame.request_id, error: 'the model is out of order' });
        return undefined;
      case 'quotesKey':
        this.send({ request_id: frame.request_id, error: 'Incorrect API key provided: sk-secret_0123456789' });
        return undefined;
      case 'die':
        this.peer.destroy();
        return undefined;
      case 'half':
        this.peer.sendHalf(JSON.stringify({ request_id: frame.request_id, msg: 'never whole' }));
        this.peer.destroy();
        return undefined;
      case 'big':
        this.peer.announce(33 * 1024 * 1024);
        return undefined;
      case 'mib':
        return 'x'.repeat(1024 * 1024);
      case 'babble':
        this.peer.sendText('I am a service');
        for (const value of [[1, [2]], null, 5, { hologram: true }, { request_id: -1, msg: 'lost' }, { request_id: 'x', msg: 7 }])
          this.send(/** @type {any} */ (value));
        return 'done';
      case 'wrong':
        this.send({ request_id: frame.request_id + 1, msg: 'of somebody else' });
        return 'mine';
      case 'flood':
        await this.peer.flood(frame.msg, (said) => ({
          request_id: frame.request_id + 1,
          msg: said,
          stream_seq_id: 0,
          stream_finish: false,
        }));
        return 'mine';
      case 'ide': {
        const [variant = 'cmd', name = 'get_document_symbols', ...rest] = words;
        const params = JSON.parse(rest.join(' ') || '{}');
        const call =
          variant === 'path' ? { path: `/${name}`, ...params } : variant === 'method' ? { method: name, params } : { cmd: name, ...params };
        const answer = await new Promise((resolve) => {
          this.onIdeAnswer = resolve;
          this.send({ request_id: 7, ...call });
        });
        return JSON.stringify(answer);
      }
      default:
        return frame.msg;
    }
  }
}

/** @type {Map<string, Set<Connection>>} */
const connectionsOf = new Map();

function makeTls() {
  const kind = argument('tls');
  if (kind === undefined) return {};
  const expired = argument('expired') !== undefined;
  const authority = makeCertificate('stand-in authority', { isAuthority: true });
  const certificate = makeCertificate('stand-in', kind === 'issued' ? { issuer: authority, expired } : { expired });
  const pin = `sha256/${createHash('sha256')
    .update(certificate.publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64')}`;
  note({ event: 'certificate', pin });
  return { tls: tlsOptionsOf(certificate) };
}

serve({
  ...makeTls(),
  port: Number(argument('port') ?? 0),
  refuse(request, socket) {
    const answers = { 404: 'HTTP/1.1 404 Not Found\r\n', redirect: 'HTTP/1.1 302 Found\r\nLocation: ws://192.0.2.1/ws\r\n' };
    const always = refusal === '404' || refusal === 'redirect' ? answers[refusal] : undefined;
    if (always !== undefined) socket.end(`${always}Connection: close\r\n\r\n`);
    const isWrong = key !== undefined && request.headers['x-api-key'] !== key;
    if (always !== undefined || refusal === 'silent') return true;
    if (!isWrong) return false;
    if (refusal === '401' || refusal === '403') socket.end(`HTTP/1.1 ${refusal} No\r\nConnection: close\r\n\r\n`);
    return refusal === '401' || refusal === '403';
  },
  onPeer(peer, request) {
    const given = String(request.headers['x-api-key'] ?? '');
    const isWelcome = key === undefined || given === key;
    const connection = new Connection(peer, isWelcome);
    const others = connectionsOf.get(given) ?? new Set();
    connectionsOf.set(given, others);
    if ((!isWelcome && refusal === 'at-once') || others.size >= maxConnections) return peer.close(1008);
    others.add(connection);
    peer.on('text', (text) => connection.receive(text));
    peer.on('gone', (how) => {
      others.delete(connection);
      note({ event: 'gone', ...how });
      const { task } = connection;
      connection.task = undefined;
      if (task !== undefined) connection.drop(task);
    });
  },
});
