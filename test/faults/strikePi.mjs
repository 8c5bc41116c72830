/** Loaded before the stand-in for Pi. Adds one fault to it. */
import { appendFileSync } from 'node:fs';
import { die, fault, garbage, isDue, received, stopHere, text } from './strike.mjs';

const { stdin, stdout } = process;
const write = stdout.write.bind(stdout);
const line = (/** @type {object} */ frame) => `${JSON.stringify(frame)}\n`;
appendFileSync('pids', `${process.pid}\n`);

let isMute = false;
let isSlow = false;
/** Answers that are sent later, the last one first. @type {string[] | undefined} */
let held;
/** @param {string} answer */
function hold(answer) {
  held ??= [];
  if (held.push(answer) === 1)
    setTimeout(
      () =>
        held
          ?.splice(0)
          .reverse()
          .forEach((one) => write(one)),
      20,
    );
}
/** Passes input from stdin to the stand-in. @type {((chunk: Buffer) => void) | undefined} */
let take;

/** @param {object} [due] the answer that is due now @returns whether to send it anyway */
function strike(due) {
  switch (fault) {
    case 'killed':
      return die();
    case 'exits':
      return process.exit(9);
    case 'frozen':
      if (due !== undefined) isMute = true;
      return stopHere();
    case 'garbageOnStdout':
      for (const one of garbage) write(`${one}\n`);
      return true;
    case 'halfLine':
      write(line(due ?? { type: 'agent_end', messages: [] }).slice(0, 12), () => process.exit(4));
      return (isMute = true), false;
    case 'hugeLine':
      write(line({ type: 'message_end', ...due, text }));
      return due === undefined;
    case 'mute':
      isMute = true;
      return false;
    case 'wrongId':
      write(line({ type: 'response', command: 'prompt', success: true, ...due, id: 'of-nobody' }));
      return true;
    case 'answersTwice':
      if (due !== undefined) write(line(due));
      return true;
    case 'outOfOrder':
      held = [];
      if (due !== undefined) hold(line(due));
      return false;
    case 'slowReader':
      isSlow = true;
      if (take !== undefined) readSlowly();
      return true;
    default:
      throw new Error(`no fault ${fault}`);
  }
}

/** @param {any} frame */
function momentOf(frame) {
  if (frame.type === 'response') return { get_state: 'initialize', switch_session: 'load' }[/** @type {'get_state'} */ (frame.command)];
  if (frame.type === 'extension_ui_request' && frame.method === 'confirm') return 'permission';
  return frame.assistantMessageEvent?.type === 'text_delta' && prompt === 'hello' ? 'prompt' : undefined;
}

/** @param {any} out */
stdout.write = (out) => {
  if (isMute) return true;
  const frame = JSON.parse(out);
  if (held !== undefined && frame.type === 'response') return hold(out), true;
  const moment = momentOf(frame);
  if (moment === undefined || !isDue(moment)) return write(out);
  if (frame.type === 'response') return strike(frame) === true ? write(out) : true;
  write(out);
  strike();
  return true;
};

let prompt = '';
let rest = '';
/** @param {Buffer} chunk */
function onData(chunk) {
  const lines = (rest + chunk.toString('utf8')).split('\n');
  rest = lines.pop() ?? '';
  for (const one of lines) {
    const { type, message } = JSON.parse(one);
    if (type === 'prompt') received((prompt = message));
    if (type === 'abort' && isDue('cancel')) strike();
  }
  take?.(chunk);
}
/** Reads a few bytes at a time, with pauses. */
function readSlowly() {
  stdin.off('data', onData).pause();
  setInterval(() => {
    const bytes = stdin.read(16) ?? stdin.read();
    if (bytes !== null) onData(bytes);
  }, 5);
}
const on = stdin.on.bind(stdin);
/** @type {any} */ (stdin).on = (/** @type {string} */ event, /** @type {any} */ listener) => {
  if (event !== 'data') return on(event, listener);
  take = listener;
  on(event, onData);
  if (isSlow) readSlowly();
  return stdin;
};

process.on('SIGUSR2', () => isDue('idle') && strike());
if (isDue('start')) strike();
