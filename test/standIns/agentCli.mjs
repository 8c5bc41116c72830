/**
 * Stands in for `agent-cli --remote`, and is no evidence of interoperability. `--documented` follows the protocol document, and `--real` follows
 * the source at 392ac0a where that differs. Strict: it rejects what the program would reject, in the same way. Notes every frame, and whether it
 * was dropped.
 *
 * Repeats the prompt in parts, except for these: `ask` requests permission for a tool, `askAgain` once more after an interrupt, `turns` requests
 * more turns, `hang` continues until it is interrupted, `hangDeaf` loses the first interrupt, `hangOn` all of them, `tool` runs a tool,
 * `toolError` runs one that fails, `oops` fails, `quotesKey` fails with a key in the error, `babble` sends invalid messages, `die` closes the
 * connection, `half` does so within a message, `big` exceeds the message limit, `mib` does not, `unreadable` reports a parse error, `slow` sends
 * two bytes at a time, `multi` combines several parts in one response, `whole` answers with one text, `late` also answers with the ids of
 * earlier and of unknown requests, and `flood COUNT BYTES` sends that many messages of that size.
 */
import { argument, note, serve } from './standIn.mjs';

const isReal = argument('real') !== undefined;
const documentedCommands = ['help', 'clear', 'exit', 'reset', 'history', 'tools', 'config'];
const usage = { prompt_tokens: 5, completion_tokens: 10, total_tokens: 15 };

/** @param {string} words */
const piecesOf = (words) => words.match(/[\s\S]{1,3}(?![\u{dc00}-\u{dfff}])/gu) ?? [words];

/** @param {any} input @returns {[string, any] | undefined} */
function variantOf(input) {
  if (typeof input === 'string')
    return ['GetCommands', 'Interrupt', 'Regenerate', 'ClearContext'].includes(input) ? [input, null] : undefined;
  if (typeof input !== 'object' || input === null || Object.keys(input).length !== 1) return undefined;
  const [entry] = Object.entries(input);
  return entry;
}

/** @param {any} input @returns {string | undefined} the text for its model */
function wordsOf(input) {
  const [name, payload] = variantOf(input) ?? [];
  switch (name) {
    case 'Text':
      return typeof payload === 'string' ? payload : undefined;
    case 'Image':
      return typeof payload?.data === 'string' ? `[Image: ${payload.mime_type ?? 'image'}]` : undefined;
    case 'File':
      return [payload?.filename, payload?.content_type, payload?.data].every((one) => typeof one === 'string')
        ? `[File: ${payload.filename} (${payload.content_type})]`
        : undefined;
    case 'Multi': {
      const parts = Array.isArray(payload) ? payload.map(wordsOf) : [undefined];
      return parts.includes(undefined) ? undefined : parts.join(' + ');
    }
    default:
      return undefined;
  }
}

/** A connection with one conversation, which does one thing at a time. */
class Chat {
  /** @param {import('./webSocketPeer.mjs').WebSocketPeer} peer */
  constructor(peer) {
    this.peer = peer;
    this.isStreaming = false;
    /** The number of interrupts to lose. */
    this.deafFor = 0;
    /** @type {(() => void) | undefined} */
    this.interrupt = undefined;
    /** @type {{ id: string, name: string, args: unknown, isAgain: boolean, isApproved?: boolean } | undefined} */
    this.tool = undefined;
    /** @type {string | undefined} */
    this.turnsOf = undefined;
    this.last = '';
    /** @type {string[]} */
    this.heard = [];
    /** @type {string[]} */
    this.ids = [];
  }

  /** @param {string} id @param {unknown} response @param {{ error?: string, usage?: object }} [o] */
  answer(id, response, o = {}) {
    this.peer.sendText(JSON.stringify({ request_id: id, response, error: o.error ?? null, token_usage: o.usage ?? null }));
  }

  /** @param {string} id @param {string} error */
  fail(id, error) {
    this.answer(id, { Text: '' }, { error });
  }

  /** @param {string} text */
  receive(text) {
    let request;
    try {
      request = JSON.parse(text);
    } catch (error) {
      note({ event: 'got', text });
      return this.fail(isReal ? 'parse_error' : '', `Failed to parse request: ${String(error)}`);
    }
    const name = variantOf(request?.input)?.[0];
    const isDropped = this.isStreaming && name !== 'Interrupt';
    const waits = !isReal && this.turnsOf !== undefined && name !== 'TurnConfirmationResponse';
    note({ event: 'got', frame: request, dropped: isDropped || waits });
    if (isDropped || waits) return;
    if (typeof request?.request_id !== 'string' || name === undefined) {
      return this.fail(isReal ? 'parse_error' : String(request?.request_id), 'Failed to parse request: data did not match any variant');
    }
    this.handle(request, name, variantOf(request.input)?.[1]);
  }

  /** @param {any} request @param {string} name @param {any} payload */
  handle(request, name, payload) {
    const { request_id: id } = request;
    this.ids.push(id);
    switch (name) {
      case 'GetCommands': {
        const commands = isReal ? [] : documentedCommands.map((command) => ({ name: command, description: `does ${command}` }));
        return this.answer(id, { Text: JSON.stringify({ commands, count: commands.length }) }, { usage });
      }
      case 'Instruction':
        if (typeof payload?.command !== 'string') return this.fail(id, 'Failed to parse request: missing field `command`');
        if (isReal || !documentedCommands.includes(payload.command)) return this.fail(id, `Unknown command: ${payload.command}`);
        return this.answer(id, { Text: `${payload.command} ${JSON.stringify(payload.parameters)}` });
      case 'ClearContext':
        this.heard = [];
        return this.answer(id, { Text: 'Context cleared' });
      case 'Interrupt':
        if (this.interrupt === undefined) return this.fail(id, 'No active model output to interrupt');
        if (this.deafFor > 0) return void this.deafFor--;
        return this.interrupt();
      case 'Regenerate':
        return this.regenerate(id);
      case 'ToolConfirmationResponse':
        return this.confirmTool(id, payload);
      case 'TurnConfirmationResponse':
        return this.confirmTurns(id, payload);
      default: {
        const words = wordsOf(request.input);
        if (words === undefined) return this.fail(isReal ? 'parse_error' : id, `Failed to parse request: invalid ${name}`);
        this.last = words;
        this.heard.push(words);
        void this.chat(id, words, request);
      }
    }
  }

  /** @param {string} id @param {string} words @param {any} request */
  async chat(id, words, request) {
    if (words.startsWith('flood ')) {
      await this.peer.flood(words, (said) => ({ request_id: id, response: { Stream: said }, error: null, token_usage: null }));
      return this.complete(id, false);
    }
    // The text after a hash only makes prompts unique.
    switch (words.replace(/ #.*$/, '')) {
      case 'ask':
      case 'askAgain':
        if (!isReal && request.config?.ask_before_tool_execution === false) return this.stream(id, 'ran unasked');
        return this.ask(id, words.startsWith('askAgain'));
      case 'turns':
        this.turnsOf = id;
        return this.answer(id, { TurnConfirmationRequest: { current_turns: 10, max_turns: 10, reason: 'Reset the turns?' } });
      case 'hangDeaf':
      case 'hangOn':
        this.deafFor = words === 'hangOn' ? Number.POSITIVE_INFINITY : 1;
        return this.hang(id);
      case 'hang':
      case 'wait':
        return this.hang(id);
      case 'heard':
        return this.stream(id, this.heard.join('|'));
      case 'oops':
        return this.fail(id, 'the model is out of order');
      case 'quotesKey':
        return this.fail(id, 'Incorrect API key provided: sk-secret_0123456789');
      case 'toolError':
        this.answer(id, { ToolCall: { name: 'delete_file', arguments: { path: 'a' } } });
        return this.fail(
          id,
          JSON.stringify({
            type: 'tool_execution_error',
            message: "Tool 'delete_file' execution failed",
            details: { tool: 'delete_file', error: 'no such file', arguments: { path: 'a' } },
          }),
        );
      case 'tool':
        this.answer(id, { ToolCall: { name: 'read_file', arguments: { path: 'a' } } });
        this.answer(id, { ToolResult: { name: 'read_file', result: { text: 'words' } } });
        return this.stream(id, 'done');
      case 'multi':
        this.answer(
          id,
          { Multi: [{ ToolCall: { name: 'ls', arguments: {} } }, { ToolResult: { name: 'ls', result: 'a b' } }, { Text: 'two files' }] },
          { usage },
        );
        return;
      case 'late':
        for (const late of [
          ...this.ids.slice(0, -1),
          ...['0', '01', '1.0', '-1', '1e0', '', '999'].map((end) => `acp-host-${end}`),
          'nobody',
        ])
          this.answer(late, { Stream: 'too late' });
        return this.stream(id, 'done');
      case 'whole':
        return this.answer(id, { Text: 'in one piece' }, { usage });
      case 'pieces':
        this.answer(id, { '': ['fn', ' main', '()'] });
        return this.complete(id, false);
      case 'unreadable':
        return this.fail('parse_error', 'Failed to parse request: expected value at line 1 column 1');
      case 'babble':
        this.peer.sendText('I am a server');
        for (const value of [[1, [2]], null, 5, { hologram: true }, { request_id: 'nobody', response: { Text: 'lost' }, error: null }])
          this.peer.sendText(JSON.stringify(value));
        this.answer(id, { Hologram: 'lost' });
        this.answer(id, { Stream: 7 });
        return this.stream(id, 'done');
      case 'die':
        return this.peer.destroy();
      case 'half':
        this.peer.sendHalf(JSON.stringify({ request_id: id, response: { Stream: 'never whole' } }));
        return this.peer.destroy();
      case 'big':
        return this.peer.announce(33 * 1024 * 1024);
      case 'mib':
        return this.stream(id, 'x'.repeat(1024 * 1024), 1024 * 1024);
      case 'slow':
        await this.peer.sendSlowly(
          JSON.stringify({ request_id: id, response: { Stream: 'slow wörds' }, error: null, token_usage: null }),
          2,
        );
        return this.complete(id, false);
      default:
        return this.stream(id, words);
    }
  }

  /** @param {string} id @param {string} words @param {number} [size] */
  async stream(id, words, size = 3) {
    this.isStreaming = true;
    let isInterrupted = false;
    this.interrupt = () => (isInterrupted = true);
    for (const piece of size === 3 ? piecesOf(words) : [words]) {
      if (isInterrupted) break;
      this.answer(id, { Stream: piece });
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.complete(id, isInterrupted);
  }

  /** @param {string} id @param {boolean} interrupted */
  complete(id, interrupted) {
    this.isStreaming = false;
    this.interrupt = undefined;
    const payload = { token_usage: interrupted ? null : usage, interrupted };
    this.answer(id, isReal ? { StreamComplete: payload } : { Complete: payload });
  }

  /** @param {string} id */
  hang(id) {
    this.isStreaming = true;
    this.answer(id, { Stream: 'hanging' });
    this.interrupt = () => this.complete(id, true);
  }

  /** @param {string} id @param {boolean} isAgain */
  ask(id, isAgain) {
    this.tool = { id, name: 'shell', args: { command: 'make' }, isAgain };
    this.answer(id, { ToolConfirmationRequest: { name: 'shell', arguments: { command: 'make' }, description: 'Runs a command' } });
  }

  /** @param {string} id @param {any} payload */
  confirmTool(id, payload) {
    const { tool } = this;
    if (tool === undefined || payload?.name !== tool.name) return this.fail(id, `No pending tool call '${payload?.name}'`);
    if (typeof payload.approved !== 'boolean') return this.fail(id, 'Failed to parse request: missing field `approved`');
    this.tool = undefined;
    if (tool.isAgain && !payload.approved) {
      this.isStreaming = true;
      this.interrupt = () => {
        this.isStreaming = false;
        this.interrupt = undefined;
        this.ask(tool.id, false);
      };
      return;
    }
    if (isReal) {
      if (payload.approved) this.approved = tool;
      return this.answer(id, { Text: `Tool '${tool.name}' execution was not approved by user` });
    }
    if (!payload.approved) return this.answer(tool.id, { Text: 'not run' });
    this.answer(tool.id, { ToolCall: { name: tool.name, arguments: tool.args } });
    this.answer(tool.id, { ToolResult: { name: tool.name, result: 'made' } });
    void this.stream(tool.id, 'it was made');
  }

  /** @param {string} id */
  regenerate(id) {
    const { approved } = this;
    this.approved = undefined;
    if (!isReal) return void this.stream(id, `again ${this.last}`);
    this.answer(id, { Stream: approved === undefined ? `again ${this.last}` : 'it was made' });
  }

  /** @param {string} id @param {any} payload */
  confirmTurns(id, payload) {
    const original = this.turnsOf;
    if (original === undefined) {
      this.fail(id, 'Not waiting for turn confirmation');
      return this.answer(id, { Text: '' });
    }
    this.turnsOf = undefined;
    if (payload?.confirmed === true) return void this.stream(isReal ? id : original, 'on we go');
    this.answer(original, { Text: 'The conversation is over.' });
  }
}

serve({
  port: Number(argument('port') ?? 0),
  onPeer(peer) {
    const chat = new Chat(peer);
    peer.on('text', (text) => chat.receive(text));
    peer.on('gone', (how) => note({ event: 'gone', ...how }));
  },
});
