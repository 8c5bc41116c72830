/** The server's side of a WebSocket (RFC 6455), by hand and strict, because a library cannot judge its own mistakes on the other side. */
import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { flood } from './flood.mjs';

const magic = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 };

/** @param {number} opcode @param {Uint8Array} payload @param {boolean} [isFinal] */
function frame(opcode, payload, isFinal = true) {
  const first = (isFinal ? 0x80 : 0) | opcode;
  if (payload.length < 126) return Buffer.concat([Buffer.from([first, payload.length]), payload]);
  if (payload.length < 65_536) {
    const head = Buffer.from([first, 126, 0, 0]);
    head.writeUInt16BE(payload.length, 2);
    return Buffer.concat([head, payload]);
  }
  const head = Buffer.alloc(10);
  head[0] = first;
  head[1] = 127;
  head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}

/** Emits `text` (string), `pong`, and `gone` ({code, reason}) once. */
export class WebSocketPeer extends EventEmitter {
  #socket;
  #buffer = Buffer.alloc(0);
  /** @type {Buffer[]} */
  #parts = [];
  #isGone = false;
  #closeCode = 1006;
  #closeReason = '';
  /** Whether it ignores pings and close frames. */
  isDeaf = false;

  /** @param {import('node:stream').Duplex} socket */
  constructor(socket) {
    super();
    this.#socket = socket;
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', () => {});
    socket.on('close', () => this.#gone());
    socket.on('end', () => socket.end());
  }

  /**
   * Answers the upgrade.
   * @param {import('node:http').IncomingMessage} request @param {import('node:stream').Duplex} socket @param {Uint8Array} head
   */
  static accept(request, socket, head) {
    const key = request.headers['sec-websocket-key'];
    const isProper = request.headers.upgrade?.toLowerCase() === 'websocket' && request.headers['sec-websocket-version'] === '13';
    if (typeof key !== 'string' || !isProper || head.length > 0) {
      socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
      return undefined;
    }
    const accept = createHash('sha1')
      .update(key + magic)
      .digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    return new WebSocketPeer(socket);
  }

  /** @param {string} text @param {{ frames?: number, isBinary?: boolean }} [o] `frames`: the number of fragments, with pings between them */
  sendText(text, o = {}) {
    const { frames = 1, isBinary = false } = o;
    const bytes = Buffer.from(text);
    const size = Math.max(1, Math.ceil(bytes.length / frames));
    for (let from = 0, isFirst = true; isFirst || from < bytes.length; from += size, isFirst = false) {
      const opcode = isFirst ? (isBinary ? opcodes.binary : opcodes.text) : opcodes.continuation;
      const isFinal = from + size >= bytes.length;
      this.#socket.write(frame(opcode, bytes.subarray(from, from + size), isFinal));
      if (!isFinal) this.ping();
    }
  }

  /** Sends a message in small parts. @param {string} text @param {number} bytesAtATime */
  async sendSlowly(text, bytesAtATime) {
    const whole = frame(opcodes.text, Buffer.from(text));
    for (let from = 0; from < whole.length; from += bytesAtATime) {
      this.#socket.write(whole.subarray(from, from + bytesAtATime));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Sends messages as fast as the other side reads them. @param {string} prompt `flood COUNT BYTES` @param {(words: string) => object} toMessage */
  flood(prompt, toMessage) {
    return flood(this.#socket, prompt, toMessage, (text) => frame(opcodes.text, Buffer.from(text)));
  }

  /** Sends the first half of a message. @param {string} text */
  sendHalf(text) {
    const whole = frame(opcodes.text, Buffer.from(text));
    this.#socket.write(whole.subarray(0, Math.floor(whole.length / 2)));
  }

  /** Announces a message of this size, and sends only its beginning. @param {number} bytes */
  announce(bytes) {
    const head = Buffer.alloc(10);
    head[0] = 0x80 | opcodes.text;
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(bytes), 2);
    this.#socket.write(Buffer.concat([head, Buffer.alloc(64, 32)]));
  }

  ping() {
    this.#socket.write(frame(opcodes.ping, Buffer.from('?')));
  }

  /** @param {number} code @param {string} [reason] */
  close(code, reason = '') {
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    this.#socket.end(frame(opcodes.close, Buffer.concat([payload, Buffer.from(reason)])));
  }

  /** Closes the connection without a close frame. */
  destroy() {
    this.#socket.destroy();
  }

  /** @param {Buffer} chunk */
  #read(chunk) {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    while (this.#takeFrame());
  }

  #takeFrame() {
    const buffer = this.#buffer;
    if (buffer.length < 2) return false;
    const [first = 0, second = 0] = buffer;
    const opcode = first & 0x0f;
    const isFinal = (first & 0x80) !== 0;
    let length = second & 0x7f;
    let at = 2;
    if (length === 126) {
      if (buffer.length < 4) return false;
      length = buffer.readUInt16BE(2);
      at = 4;
    } else if (length === 127) {
      if (buffer.length < 10) return false;
      length = Number(buffer.readBigUInt64BE(2));
      at = 10;
    }
    // A client masks what it sends, and uses no extension that was not agreed.
    if ((second & 0x80) === 0 || (first & 0x70) !== 0) {
      this.close(1002, 'protocol error');
      return false;
    }
    if (buffer.length < at + 4 + length) return false;
    const mask = buffer.subarray(at, at + 4);
    const payload = Buffer.from(buffer.subarray(at + 4, at + 4 + length));
    for (let index = 0; index < length; index++) payload[index] = (payload[index] ?? 0) ^ (mask[index % 4] ?? 0);
    this.#buffer = buffer.subarray(at + 4 + length);
    this.#frame(opcode, payload, isFinal);
    return true;
  }

  /** @param {number} opcode @param {Buffer} payload @param {boolean} isFinal */
  #frame(opcode, payload, isFinal) {
    switch (opcode) {
      case opcodes.text:
      case opcodes.binary:
      case opcodes.continuation:
        this.#parts.push(payload);
        if (isFinal) this.emit('text', Buffer.concat(this.#parts.splice(0)).toString('utf8'));
        break;
      case opcodes.close:
        if (payload.length >= 2) {
          this.#closeCode = payload.readUInt16BE(0);
          this.#closeReason = payload.subarray(2).toString('utf8');
        }
        if (!this.isDeaf) this.#socket.end(frame(opcodes.close, payload.subarray(0, 2)));
        break;
      case opcodes.ping:
        if (!this.isDeaf) this.#socket.write(frame(opcodes.pong, payload));
        break;
      case opcodes.pong:
        this.emit('pong');
        break;
      default:
        this.close(1002, 'protocol error');
    }
  }

  #gone() {
    if (this.#isGone) return;
    this.#isGone = true;
    this.emit('gone', { code: this.#closeCode, reason: this.#closeReason });
  }
}
