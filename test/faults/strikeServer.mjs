/** Loaded before a stand-in for a server. Adds one fault to it. */
import { note } from '../standIns/standIn.mjs';
import { WebSocketPeer } from '../standIns/webSocketPeer.mjs';
import { die, fault, garbage, isDue, received, stopHere } from './strike.mjs';

const { accept } = WebSocketPeer;
const { sendText, emit } = WebSocketPeer.prototype;
/** Peers that get no more messages. @type {Set<WebSocketPeer>} */
const mute = new Set();
/** The messages that are being sent slowly, one after the other. @type {Promise<void> | undefined} */
let slowly;
let prompt = '';
/** @type {WebSocketPeer | undefined} */
let last;

/** @param {WebSocketPeer} peer @param {any} [due] the answer that is due now @returns {unknown} whether to send it anyway */
function strike(peer, due) {
  const [, closeCode] = /^closes(\d+)$/.exec(fault) ?? [];
  if (closeCode !== undefined) {
    mute.add(peer);
    return peer.close(Number(closeCode), 'so it is');
  }
  switch (fault) {
    case 'killed':
      return die();
    case 'cut':
      return peer.destroy();
    case 'frozen':
      if (due !== undefined) mute.add(peer);
      return stopHere();
    case 'garbageOnStdout':
      for (const one of garbage) sendText.call(peer, one);
      sendText.call(peer, '\u0002', { isBinary: true });
      return true;
    case 'halfLine':
      peer.sendHalf(JSON.stringify(due ?? { request_id: 'x' }));
      return peer.destroy();
    case 'hugeLine':
      peer.announce(33 * 1024 * 1024);
      return false;
    case 'mute':
      mute.add(peer);
      return false;
    case 'wrongId':
      sendText.call(
        peer,
        JSON.stringify({
          ...(due ?? { response: { Text: 'of somebody else' }, error: null, msg: 'of somebody else' }),
          request_id: 'nobody',
        }),
      );
      return true;
    case 'answersTwice':
      if (due !== undefined) sendText.call(peer, JSON.stringify(due));
      return true;
    case 'slowReader':
      slowly = Promise.resolve();
      return true;
    default:
      throw new Error(`no fault ${fault}`);
  }
}

/** Returns the moment at which a frame is due: the answer to the start or to a prompt, or a permission during a turn. @param {any} frame */
function momentOf({ request_id: id, response, models, msg }) {
  if (models !== undefined || (typeof id === 'string' && prompt === '' && response !== undefined)) return 'initialize';
  if (response?.ToolConfirmationRequest !== undefined) return 'permission';
  return prompt === 'hello' && (response?.Stream !== undefined || msg !== undefined) ? 'prompt' : undefined;
}

/** Returns an empty object for messages that are not JSON on purpose. @param {string} words */
function parse(words) {
  try {
    return JSON.parse(words) ?? {};
  } catch {
    return {};
  }
}

WebSocketPeer.prototype.sendText = function (words, o) {
  if (mute.has(this)) return;
  const frame = parse(words);
  const moment = momentOf(frame);
  const send = () => {
    if (slowly === undefined) sendText.call(this, words, o);
    else slowly = slowly.then(() => this.sendSlowly(words, 7));
  };
  if (moment === undefined || !isDue(moment)) return send();
  if (frame.response?.Stream === undefined && moment !== 'permission') return strike(this, frame) === true ? send() : undefined;
  send();
  strike(this);
};

WebSocketPeer.prototype.emit = function (/** @type {any} */ event, /** @type {any[]} */ ...rest) {
  if (event === 'text') {
    const { input, msg } = JSON.parse(rest[0]);
    const words = input?.Text ?? msg;
    if (words !== undefined) received((prompt = words));
    if (input === 'Interrupt' && isDue('cancel') && strike(this) !== true) return true;
  }
  return emit.call(this, event, ...rest);
};

const refusals = {
  refuses404: '404 Not Found',
  refuses401: '401 Unauthorized',
  refuses403: '403 Forbidden',
  refuses503: '503 Service Unavailable',
};
WebSocketPeer.accept = (request, socket, head) => {
  const atStart = isDue('start');
  const refusal = refusals[/** @type {keyof typeof refusals} */ (fault)];
  if (atStart && refusal !== undefined) return void socket.end(`HTTP/1.1 ${refusal}\r\nConnection: close\r\n\r\n`);
  if (atStart && fault === 'redirects')
    return void socket.end('HTTP/1.1 302 Found\r\nLocation: ws://192.0.2.1/\r\nConnection: close\r\n\r\n');
  if (atStart && fault === 'neverAnswers') return undefined;
  const peer = accept(request, socket, head);
  if (peer === undefined) return undefined;
  note({ event: 'accepted' });
  last = peer;
  peers.add(peer);
  peer.once('gone', () => peers.delete(peer));
  if (atStart) strike(peer);
  return peer;
};

/** @type {Set<WebSocketPeer>} */
const peers = new Set();
// Lets a test cut the connections at any time, as often as it needs.
if (fault === 'cutAtSignal') process.on('SIGUSR2', () => peers.forEach((peer) => peer.destroy()));
else process.on('SIGUSR2', () => last !== undefined && isDue('idle') && strike(last));
